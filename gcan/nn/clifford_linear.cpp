#include "gcan/nn/clifford_linear.h"

#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/clifford_kernel.h"

namespace gcan::nn {
namespace {

std::string text(const CliffordLinearOptions& options) {
  std::string result = "CliffordLinear(";
  result += options.algebra().to_string();
  result += ", " + std::to_string(options.in_channels()) + " -> " + std::to_string(options.out_channels());
  result += options.bias() ? ")" : ", bias=false)";
  return result;
}

}  // namespace

CliffordLinearImpl::CliffordLinearImpl(const CliffordLinearOptions& options_) : options(options_) { reset(); }

void CliffordLinearImpl::reset() {
  detail::check_channels(text(options), options.in_channels(), options.out_channels(), 1);
  const std::int64_t n = detail::blade_count(options.algebra());
  if (folded_) return detail::register_plain(*this, weight, bias);
  weight = register_parameter("weight", torch::empty({options.out_channels(), options.in_channels(), n}));
  bias = register_parameter(
      "bias", options.bias() ? torch::empty({options.out_channels(), n}) : torch::Tensor(), options.bias());
  reset_parameters();
}

void CliffordLinearImpl::fold() {
  if (folded_) return;
  const torch::NoGradGuard no_grad;
  folded_ = true;
  parameters_.clear();
  weight = detail::clifford_kernel(options.algebra(), weight);
  if (bias.defined()) bias = bias.flatten();
  detail::register_plain(*this, weight, bias);
}

void CliffordLinearImpl::reset_parameters() {
  if (folded_) throw Error(text(options) + " is folded and has no multivectors to reinitialise");
  const std::int64_t fan_in = options.in_channels() * detail::blade_count(options.algebra());
  detail::clifford_init(weight, fan_in);
  if (bias.defined()) detail::clifford_init(bias, fan_in);
}

void CliffordLinearImpl::pretty_print(std::ostream& stream) const { stream << "gcan::nn::" << text(options); }

torch::Tensor CliffordLinearImpl::forward(const torch::Tensor& x) {
  const std::int64_t n = detail::blade_count(options.algebra());
  detail::check_shape(text(options), x, {-1, options.in_channels(), n});
  detail::check_finite(text(options), "entry of its weight", weight);
  const torch::Tensor kernel = folded_ ? weight : detail::clifford_kernel(options.algebra(), weight);
  const torch::Tensor flat_bias = bias.defined() ? bias.flatten() : torch::Tensor();
  return torch::linear(x.flatten(1), kernel, flat_bias)
      .unflatten(1, std::vector<std::int64_t>{options.out_channels(), n});
}

}  // namespace gcan::nn
