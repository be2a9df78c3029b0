#include "gcan/nn/clifford_conv.h"

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
  if (options.circular()) result += ", circular";
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
}

// Pads every dimension of the space periodically.
template <std::size_t D>
torch::Tensor padded_around(const torch::Tensor& x, const CliffordConvOptions<D>& options) {
  std::vector<std::int64_t> widths;
  for (std::size_t d = D; d-- > 0;) widths.insert(widths.end(), 2, (*options.padding())[d]);
  return torch::nn::functional::pad(x, torch::nn::functional::PadFuncOptions(widths).mode(torch::kCircular));
}

template <std::size_t D>
torch::Tensor convolve(const torch::Tensor& x, const torch::Tensor& kernel, const torch::Tensor& bias,
                       const CliffordConvOptions<D>& options) {
  const torch::IntArrayRef stride = *options.stride();
  const torch::IntArrayRef dilation = *options.dilation();
  const std::vector<std::int64_t> none(D, 0);
  const torch::Tensor in = options.circular() ? padded_around(x, options) : x;
  const torch::IntArrayRef padding = options.circular() ? torch::IntArrayRef(none) : *options.padding();
  if constexpr (D == 1) return torch::conv1d(in, kernel, bias, stride, padding, dilation, options.groups());
  if constexpr (D == 2) return torch::conv2d(in, kernel, bias, stride, padding, dilation, options.groups());
  if constexpr (D == 3) return torch::conv3d(in, kernel, bias, stride, padding, dilation, options.groups());
}

}  // namespace

template <std::size_t D, class Derived>
CliffordConvImpl<D, Derived>::CliffordConvImpl(const CliffordConvOptions<D>& options_) : options(options_) {
  CliffordConvImpl::reset();
}

template <std::size_t D, class Derived>
void CliffordConvImpl<D, Derived>::reset() {
  check_options(options);
  const std::int64_t n = blade_count(options.algebra());
  std::vector<std::int64_t> sizes = {options.out_channels(), options.in_channels() / options.groups()};
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
torch::Tensor CliffordConvImpl<D, Derived>::forward(const torch::Tensor& x) {
  const std::int64_t n = blade_count(options.algebra());
  std::vector<std::int64_t> expected = {-1, options.in_channels(), n};
  expected.insert(expected.end(), D, -1);
  check_shape(text(options), x, expected);
  check_finite(text(options), "entry of its weight", weight);
  const torch::Tensor kernel = options.rotation() ? clifford_rotation_kernel(weight, scale)
                                                  : clifford_kernel(options.algebra(), weight);
  const torch::Tensor flat_bias = bias.defined() ? bias.flatten() : torch::Tensor();
  return convolve(x.flatten(1, 2), kernel, flat_bias, options)
      .unflatten(1, std::vector<std::int64_t>{options.out_channels(), n});
}

template class CliffordConvImpl<1, CliffordConv1dImpl>;
template class CliffordConvImpl<2, CliffordConv2dImpl>;
template class CliffordConvImpl<3, CliffordConv3dImpl>;

}  // namespace gcan::nn
