#include "gcan/nn/conv.h"

#include <algorithm>

#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/convolution.h"

namespace gcan::nn {
namespace {

using torch::Tensor;

template <std::size_t D>
std::vector<std::int64_t> list(const torch::ExpandingArray<D>& array) {
  return {array->begin(), array->end()};
}

// "GcaConv2d(G(3,0,0), 64 -> 64, e1 e2 e3, kernel (3, 3)": the settings that differ from the defaults follow.
template <class Options>
std::string title_of(const std::string& layer, const Options& o) {
  const auto kernel = list(o.kernel_size());
  std::string text = action_layer_name(layer + std::to_string(kernel.size()) + "d", o.settings()) +
                     ", kernel " + detail::shape_text(kernel);
  const auto add = [&](const char* what, const std::vector<std::int64_t>& values, std::int64_t usual) {
    if (std::count(values.begin(), values.end(), usual) == std::ssize(values)) return;
    text += std::string(", ") + what + " " + detail::shape_text(values);
  };
  add("stride", list(o.stride()), 1);
  add("padding", list(o.padding()), 0);
  add("dilation", list(o.dilation()), 1);
  if (o.groups() != 1) text += ", groups " + std::to_string(o.groups());
  return text + ")";
}

// Error unless all sizes are at least 1 and paddings at least 0.
template <class Options>
void check_sizes(const std::string& title, const Options& o) {
  const auto check = [&](const char* what, const std::vector<std::int64_t>& values, std::int64_t least) {
    for (const std::int64_t value : values) {
      if (value >= least) continue;
      throw Error(title + " got a " + what + " of " + std::to_string(value) + ", expected at least " +
                  std::to_string(least));
    }
  };
  check("kernel size", list(o.kernel_size()), 1);
  check("stride", list(o.stride()), 1);
  check("padding", list(o.padding()), 0);
  check("dilation", list(o.dilation()), 1);
  if (o.released() && o.groups() != 1) {
    throw Error(title +
                " does not support released(true) with groups: groups of the released layer mix blades");
  }
}

void check_input(const std::string& title, const Tensor& x, std::int64_t channels, std::int64_t blades,
                 std::size_t dimensions) {
  std::vector<std::int64_t> sizes(3 + dimensions, -1);
  sizes[1] = channels;
  sizes[2] = blades;
  detail::check_shape(title, x, sizes);
}

// The plain layer's parameters become copies of the assembled ones.
template <class Plain>
void take_parameters(Plain& plain, const AssembledKernel& made, bool training) {
  plain->weight.set_data(made.kernel.clone());
  if (made.bias.defined()) plain->bias.set_data(made.bias.clone());
  plain->train(training);
}

}  // namespace

template <std::size_t D>
GcaConvImpl<D>::GcaConvImpl(GcaConvOptions<D> options_) : options(std::move(options_)) {
  reset();
}

template <std::size_t D>
void GcaConvImpl<D>::reset() {
  const std::string text = title_of("GcaConv", options);
  check_sizes(text, options);
  create(*this, this->parameters_, options.settings(), text, list(options.kernel_size()), options.groups());
}

template <std::size_t D>
void GcaConvImpl<D>::fold() {
  fold_parameters(*this, this->parameters_);
}

template <std::size_t D>
ConvolutionSettings GcaConvImpl<D>::convolution() const {
  const auto& modes = options.padding_mode();
  ConvolutionSettings settings{list(options.stride()),
                               list(options.padding()),
                               list(options.dilation()),
                               {modes.begin(), modes.end()},
                               options.groups()};
  settings.bfloat16 = options.bfloat16();
  return settings;
}

template <std::size_t D>
Tensor GcaConvImpl<D>::forward_after(const Preparation& before, const Tensor& x, const Tensor& add) {
  check_input(title(), x, options.settings().in_channels, blades(), D);
  return run(x, convolution(), this->is_training(), before, add);
}

template <std::size_t D>
void GcaConvImpl<D>::pretty_print(std::ostream& stream) const {
  stream << "gcan::nn::" << title();
}

template <std::size_t D>
typename PlainConv<D>::Forward GcaConvImpl<D>::to_torch() const {
  const torch::NoGradGuard no_grad;
  const auto& modes = options.padding_mode();
  if (std::count(modes.begin(), modes.end(), modes[0]) != std::ssize(modes)) {
    throw Error(
        title() +
        " has different padding modes per dimension, which LibTorch's layer does not support: use fold(), "
        "which folds the layer in place");
  }
  const AssembledKernel made = assembled(this->is_training());
  auto plain_options = torch::nn::ConvOptions<D>(made.kernel.size(1) * options.groups(), made.kernel.size(0),
                                                 options.kernel_size())
                           .stride(options.stride())
                           .padding(options.padding())
                           .dilation(options.dilation())
                           .groups(options.groups())
                           .bias(made.bias.defined());
  if (modes[0] == Padding::circular) plain_options.padding_mode(torch::kCircular);
  if (modes[0] == Padding::reflect) plain_options.padding_mode(torch::kReflect);
  typename PlainConv<D>::Forward plain(plain_options);
  take_parameters(plain, made, this->is_training());
  return plain;
}

template <std::size_t D>
GcaConvTransposeImpl<D>::GcaConvTransposeImpl(GcaConvTransposeOptions<D> options_)
    : options(std::move(options_)) {
  reset();
}

template <std::size_t D>
void GcaConvTransposeImpl<D>::reset() {
  const std::string text = title_of("GcaConvTranspose", options);
  check_sizes(text, options);
  if (!options.settings().chosen_constants().empty()) {
    throw Error(text +
                " has constant blades, which do not act as a bias in a transposed convolution: make them "
                "objects");
  }
  detail::check_circular(text, convolution(), list(options.kernel_size()));
  // LibTorch wants (input component, output component) blocks; the released layer puts M itself there.
  create(*this, this->parameters_, options.settings(), text, list(options.kernel_size()), options.groups(),
         true, !options.released());
}

template <std::size_t D>
void GcaConvTransposeImpl<D>::fold() {
  fold_parameters(*this, this->parameters_);
}

template <std::size_t D>
Tensor GcaConvTransposeImpl<D>::forward(const Tensor& x) {
  check_input(title(), x, options.settings().in_channels, blades(), D);
  return run(x, convolution(), this->is_training());
}

template <std::size_t D>
ConvolutionSettings GcaConvTransposeImpl<D>::convolution() const {
  const auto& modes = options.padding_mode();
  ConvolutionSettings settings{
      list(options.stride()),        list(options.padding()), list(options.dilation()),
      {modes.begin(), modes.end()},  options.groups(),        true,
      list(options.output_padding())};
  settings.bfloat16 = options.bfloat16();
  return settings;
}

template <std::size_t D>
void GcaConvTransposeImpl<D>::pretty_print(std::ostream& stream) const {
  stream << "gcan::nn::" << title();
}

template <std::size_t D>
typename PlainConv<D>::Transposed GcaConvTransposeImpl<D>::to_torch() const {
  const torch::NoGradGuard no_grad;
  const auto& modes = options.padding_mode();
  if (std::count(modes.begin(), modes.end(), Padding::zeros) != std::ssize(modes)) {
    throw Error(
        title() +
        " pads with more than zeros, which LibTorch's layer does not support: use fold(), which folds the "
        "layer in place");
  }
  const AssembledKernel made = assembled(this->is_training());
  typename PlainConv<D>::Transposed plain(
      torch::nn::ConvTransposeOptions<D>(made.kernel.size(0), made.kernel.size(1) * options.groups(),
                                         options.kernel_size())
          .stride(options.stride())
          .padding(options.padding())
          .output_padding(options.output_padding())
          .dilation(options.dilation())
          .groups(options.groups())
          .bias(made.bias.defined()));
  take_parameters(plain, made, this->is_training());
  return plain;
}

template class GcaConvImpl<1>;
template class GcaConvImpl<2>;
template class GcaConvImpl<3>;
template class GcaConvTransposeImpl<1>;
template class GcaConvTransposeImpl<2>;
template class GcaConvTransposeImpl<3>;

}  // namespace gcan::nn
