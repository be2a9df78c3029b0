#include "gcan/nn/clifford_conv.h"

#include <algorithm>

namespace gcan::nn {
namespace {

template <std::size_t D>
std::string text(const CliffordConvOptions<D>& options) {
  std::string result = "CliffordConv" + std::to_string(D) + "d(";
  result += options.algebra().to_string();
  result += ", " + std::to_string(options.in_channels()) + " -> " + std::to_string(options.out_channels());
  result += ", kernel_size=" + shape_text(*options.kernel_size());
  if (options.groups() != 1) result += ", groups=" + std::to_string(options.groups());
  if (options.rotation()) result += ", rotation";
  if (options.transposed()) result += ", transposed";
  const auto& modes = options.padding_mode();
  if (std::count(modes.begin(), modes.end(), Padding::circular) == std::ssize(modes)) result += ", circular";
  return result + ")";
}

template <std::size_t D>
void check_options(const CliffordConvOptions<D>& options) {
  const std::string layer = text(options);
  check_channels(layer, options.in_channels(), options.out_channels(), options.groups());
  for (std::size_t d = 0; d < D; ++d) {
    if ((*options.kernel_size())[d] < 1 || (*options.stride())[d] < 1 || (*options.dilation())[d] < 1 ||
        (*options.padding())[d] < 0) {
      throw Error(layer + " needs a positive kernel size, stride and dilation and a padding of at least 0.");
    }
  }
  if (options.rotation() && options.algebra() != Algebra(0, 2)) {
    throw Error(layer + " cannot rotate: the rotational layer is for G(0,2,0).");
  }
  if (options.transposed() && options.groups() != 1) {
    throw Error(layer + " got " + std::to_string(options.groups()) + " groups, expected 1 when transposed.");
  }
}

template <std::size_t D>
std::vector<std::int64_t> list(const torch::ExpandingArray<D>& array) {
  return {array->begin(), array->end()};
}

}  // namespace

template <std::size_t D, class Derived>
CliffordConvImpl<D, Derived>::CliffordConvImpl(const CliffordConvOptions<D>& options_) : options(options_) {
  CliffordConvImpl::reset();
}

template <std::size_t D, class Derived>
void CliffordConvImpl<D, Derived>::reset() {
  check_options(options);
  check_circular(text(options), convolution(), list(options.kernel_size()));
  const std::int64_t n = blade_count(options.algebra());
  std::vector<std::int64_t> sizes = {options.out_channels(), options.in_channels() / options.groups()};
  if (options.transposed()) std::swap(sizes[0], sizes[1]);
  sizes.insert(sizes.end(), options.kernel_size()->begin(), options.kernel_size()->end());
  scale = this->register_parameter("scale", options.rotation() ? torch::empty(sizes) : torch::Tensor(),
                                   options.rotation());
  sizes.insert(sizes.begin() + 2, n);
  weight = this->register_parameter("weight", torch::empty(sizes));
  bias = this->register_parameter(
      "bias", options.bias() ? torch::empty({options.out_channels(), n}) : torch::Tensor(), options.bias());
  reset_parameters();
}

template <std::size_t D, class Derived>
void CliffordConvImpl<D, Derived>::reset_parameters() {
  const std::int64_t fan_in = weight[0].numel();
  clifford_init(weight, fan_in);
  if (bias.defined()) clifford_init(bias, fan_in);
  if (scale.defined()) clifford_init(scale, scale[0].numel());
}

template <std::size_t D, class Derived>
void CliffordConvImpl<D, Derived>::pretty_print(std::ostream& stream) const {
  stream << "gcan::nn::" << text(options);
}

template <std::size_t D, class Derived>
torch::Tensor CliffordConvImpl<D, Derived>::forward_after(const Preparation& before, const torch::Tensor& x) {
  const std::int64_t n = blade_count(options.algebra());
  std::vector<std::int64_t> expected = {-1, options.in_channels(), n};
  expected.insert(expected.end(), D, -1);
  check_shape(text(options), x, expected);
  check_finite(text(options), "entry of its weight", weight);
  return convolve(text(options), x, convolution(), recipe(), before);
}

template <std::size_t D, class Derived>
Recipe CliffordConvImpl<D, Derived>::recipe() const {
  Recipe recipe;
  for (const torch::Tensor& p : {weight, bias, scale}) {
    if (p.defined()) recipe.parameters.push_back(p);
  }
  recipe.make = [o = options, w = weight, b = bias, s = scale] {
    const auto turned = [&](const torch::Tensor& t) { return o.transposed() ? t.transpose(0, 1) : t; };
    AssembledKernel made;
    made.kernel = turned(o.rotation() ? clifford_rotation_kernel(turned(w), turned(s))
                                      : clifford_kernel(o.algebra(), turned(w)));
    if (b.defined()) made.bias = b.flatten();
    return made;
  };
  return recipe;
}

template <std::size_t D, class Derived>
ConvolutionSettings CliffordConvImpl<D, Derived>::convolution() const {
  const auto& modes = options.padding_mode();
  ConvolutionSettings settings{list(options.stride()),   list(options.padding()),
                               list(options.dilation()), {modes.begin(), modes.end()},
                               options.groups(),         options.transposed()};
  settings.bfloat16 = options.bfloat16();
  return settings;
}

template class CliffordConvImpl<1, CliffordConv1dImpl>;
template class CliffordConvImpl<2, CliffordConv2dImpl>;
template class CliffordConvImpl<3, CliffordConv3dImpl>;

}  // namespace gcan::nn
