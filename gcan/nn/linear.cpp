#include "gcan/nn/linear.h"

#include "gcan/base/error.h"
#include "gcan/nn/detail/checks.h"

namespace gcan::nn {

GcaLinearImpl::GcaLinearImpl(GcaLinearOptions options_) : options(std::move(options_)) { reset(); }

void GcaLinearImpl::reset() {
  create(*this, parameters_, options.settings(), action_layer_name("GcaLinear", options.settings()) + ")");
}

void GcaLinearImpl::fold() { fold_parameters(*this, parameters_); }

torch::Tensor GcaLinearImpl::forward(const torch::Tensor& x) {
  const std::int64_t in = options.settings().in_channels, out = options.settings().out_channels;
  std::vector<std::int64_t> sizes(x.defined() && x.dim() > 2 ? static_cast<std::size_t>(x.dim()) : 2, -1);
  sizes[sizes.size() - 2] = in;
  sizes[sizes.size() - 1] = blades();
  detail::check_shape(title(), x, sizes);
  const torch::Tensor y = through_linear(x.reshape({-1, in * blades()}), is_training());
  sizes.assign(x.sizes().begin(), x.sizes().end());
  sizes[sizes.size() - 2] = out;
  return y.view(sizes);
}

torch::Tensor GcaLinearImpl::forward_columns(const torch::Tensor& x, std::int64_t points) {
  return forward_columns(x, Samples{true, points});
}

torch::Tensor GcaLinearImpl::forward_columns(const torch::Tensor& x, Samples samples) {
  const std::int64_t in = options.settings().in_channels;
  if (samples.groups < 1 || in % samples.groups != 0) {
    throw Error(title() + " has " + std::to_string(in) + " input channels, which are not " +
                std::to_string(samples.groups) + " groups of as many");
  }
  samples.are_columns = true;
  detail::check_shape(title(), x, {in / samples.groups * blades(), -1});
  return through_linear(x, is_training(), samples);
}

torch::Tensor GcaLinearImpl::forward_columns_after(GcaLinearImpl& inner, const torch::Tensor& h,
                                                   const torch::Tensor& s, Samples of_inner) {
  of_inner.are_columns = true;
  const std::int64_t columns = h.defined() && h.dim() == 2 ? h.size(1) : -1;
  detail::check_shape(title(), h,
                      {options.in_channels() * blades() - inner.options.out_channels() * inner.blades(), -1});
  detail::check_shape(inner.title(), s,
                      {inner.options.in_channels() * inner.blades() / of_inner.groups, columns});
  const torch::Tensor y = through_both(h, inner, s, is_training(), of_inner);
  if (y.defined()) return y;
  return forward_columns(torch::cat({h, inner.forward_columns(s, of_inner)}), of_inner.biased);
}

void GcaLinearImpl::pretty_print(std::ostream& stream) const { stream << "gcan::nn::" << title(); }

torch::nn::Linear GcaLinearImpl::to_torch() const {
  const torch::NoGradGuard no_grad;
  const AssembledKernel made = assembled(is_training());
  torch::nn::Linear plain(
      torch::nn::LinearOptions(made.kernel.size(1), made.kernel.size(0)).bias(made.bias.defined()));
  plain->weight.set_data(made.kernel.clone());
  if (made.bias.defined()) plain->bias.set_data(made.bias.clone());
  plain->train(is_training());
  return plain;
}

}  // namespace gcan::nn
