#include "gcan/nn/msilu.h"

#include <cmath>
#include <sstream>
#include <utility>

#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/gate_function.h"

namespace gcan::nn {
namespace {

std::int64_t signed_count(std::size_t count) { return static_cast<std::int64_t>(count); }

}  // namespace

MSiLUImpl::MSiLUImpl(MSiLUOptions given)
    : options(std::move(given)),
      parts_(std::make_shared<detail::Grades>(options.gates() == Gates::per_grade
                                                  ? detail::Grades(options.objects())
                                                  : detail::Grades::together(options.objects()))) {
  reset();
}

void MSiLUImpl::reset() {
  detail::check_objects("MSiLU", options.algebra(), options.objects(), options.channels());
  if (options.aggregation() != Aggregation::linear) return;
  const auto blades = signed_count(options.objects().size());
  const double bound = 1 / std::sqrt(static_cast<double>(blades));
  weight = register_parameter(
      "weight",
      torch::empty({options.channels(), signed_count(parts_->count), blades}).uniform_(-bound, bound));
  if (!options.bias()) return;
  bias = register_parameter(
      "bias", torch::empty({options.channels(), signed_count(parts_->count)}).uniform_(-bound, bound));
}

std::string MSiLUImpl::name() const {
  std::ostringstream text;
  pretty_print(text);
  return text.str();
}

void MSiLUImpl::pretty_print(std::ostream& stream) const {
  constexpr const char* kNames[] = {"linear", "sum", "mean"};
  stream << "MSiLU(" << options.algebra().to_string() << ", " << options.channels() << " channels of "
         << detail::objects_text(options.algebra(), options.objects()) << ", "
         << kNames[static_cast<int>(options.aggregation())] << ", one gate per "
         << (options.gates() == Gates::per_grade ? "grade" : "channel")
         << (options.aggregation() == Aggregation::linear && !options.bias() ? ", no bias)" : ")");
}

torch::Tensor MSiLUImpl::gate_weight(const torch::TensorOptions& like) const {
  if (weight.defined()) return weight.to(like);
  const auto blades = signed_count(options.objects().size());
  const double value = options.aggregation() == Aggregation::mean ? 1 / static_cast<double>(blades) : 1;
  return torch::full({options.channels(), signed_count(parts_->count), blades}, value, like);
}

torch::Tensor MSiLUImpl::gate_bias(const torch::TensorOptions& like) const {
  if (bias.defined()) return bias.to(like);
  return torch::zeros({options.channels(), signed_count(parts_->count)}, like);
}

torch::Tensor MSiLUImpl::forward(const torch::Tensor& x) {
  detail::check_features([this] { return name(); }, x, options.channels(), options.objects().size(), weight);
  if (!detail::has_kernel(x)) return forward_with_tensors(x);
  const auto like = torch::TensorOptions(x.device()).dtype(x.scalar_type());
  return detail::gate_by_kernel(detail::flat_space(x), gate_weight(like).contiguous(),
                                gate_bias(like).contiguous(), *parts_)
      .view(x.sizes());
}

torch::Tensor MSiLUImpl::forward_with_tensors(const torch::Tensor& x) const {
  detail::check_features([this] { return name(); }, x, options.channels(), options.objects().size(), weight);
  const auto like = torch::TensorOptions(x.device()).dtype(detail::compute_type(x));
  return detail::gate_with_tensors(detail::flat_space(x).to(like), gate_weight(like), gate_bias(like),
                                   *parts_)
      .view(x.sizes())
      .to(x.scalar_type());
}

}  // namespace gcan::nn
