#pragma once

// Group action convolutions, and their transposed versions, in one, two and three dimensions.

#include <array>

#include "gcan/nn/action_layer.h"

namespace gcan::nn {

// Options of GcaConv1d, GcaConv2d and GcaConv3d; see ActionOptions for those of all group action layers.
template <std::size_t D>
class GcaConvOptions : public ActionOptions<GcaConvOptions<D>> {
 public:
  GcaConvOptions(Algebra algebra, std::int64_t in_channels, std::int64_t out_channels,
                 torch::ExpandingArray<D> kernel_size)
      : ActionOptions<GcaConvOptions<D>>(ActionSettings(algebra, in_channels, out_channels)),
        kernel_size_(kernel_size) {}

  using ActionOptions<GcaConvOptions<D>>::released;
  // As released with the paper: actions regularised with eps 1e-4, and a delta that starts at zero.
  GcaConvOptions& released(bool released) { return this->set_released(released, Inverse::regularized); }

  TORCH_ARG(torch::ExpandingArray<D>, kernel_size);
  TORCH_ARG(torch::ExpandingArray<D>, stride) = 1;
  // Padding at both ends of each dimension.
  TORCH_ARG(torch::ExpandingArray<D>, padding) = 0;
  TORCH_ARG(torch::ExpandingArray<D>, dilation) = 1;
  // Groups of whole channels, with all their blades, which do not mix.
  TORCH_ARG(std::int64_t, groups) = 1;
  // Convolves in bfloat16; parameters, input and output stay float.
  TORCH_ARG(bool, bfloat16) = false;
  // One for all dimensions, or one for each.
  TORCH_ARG(PaddingModes<D>, padding_mode) = Padding::zeros;
};

// Options of GcaConvTranspose1d, 2d and 3d.
template <std::size_t D>
class GcaConvTransposeOptions : public ActionOptions<GcaConvTransposeOptions<D>> {
 public:
  GcaConvTransposeOptions(Algebra algebra, std::int64_t in_channels, std::int64_t out_channels,
                          torch::ExpandingArray<D> kernel_size)
      : ActionOptions<GcaConvTransposeOptions<D>>(ActionSettings(algebra, in_channels, out_channels)),
        kernel_size_(kernel_size) {
    // Without constant blades: the number of kernel positions that contribute to an output point varies, so
    // they would not act as a bias.
    this->settings_.constants.emplace();
  }

  using ActionOptions<GcaConvTransposeOptions<D>>::released;
  // As released with the paper: actions regularised with eps 1e-4, and blocks transposed, which in Euclidean
  // algebras acts with the inverse of each action.
  GcaConvTransposeOptions& released(bool released) {
    return this->set_released(released, Inverse::regularized);
  }

  TORCH_ARG(torch::ExpandingArray<D>, kernel_size);
  TORCH_ARG(torch::ExpandingArray<D>, stride) = 1;
  TORCH_ARG(torch::ExpandingArray<D>, padding) = 0;
  TORCH_ARG(torch::ExpandingArray<D>, output_padding) = 0;
  TORCH_ARG(torch::ExpandingArray<D>, dilation) = 1;
  TORCH_ARG(std::int64_t, groups) = 1;
  // Zeros or circular, for which the input is periodic and the output has the size of the grid.
  TORCH_ARG(PaddingModes<D>, padding_mode) = Padding::zeros;
  // Convolves in bfloat16; parameters, input and output stay float.
  TORCH_ARG(bool, bfloat16) = false;
};

// LibTorch's convolution of each dimension.
template <std::size_t D>
struct PlainConv;
template <>
struct PlainConv<1> {
  using Forward = torch::nn::Conv1d;
  using Transposed = torch::nn::ConvTranspose1d;
};
template <>
struct PlainConv<2> {
  using Forward = torch::nn::Conv2d;
  using Transposed = torch::nn::ConvTranspose2d;
};
template <>
struct PlainConv<3> {
  using Forward = torch::nn::Conv3d;
  using Transposed = torch::nn::ConvTranspose3d;
};

// Every position of the kernel is a group action with a weight. Constant blades (points' homogeneous weight)
// also exist outside the grid, so they act as a bias.
//
//   gcan::Algebra g3(3);
//   gcan::nn::GcaConv2d layer(gcan::nn::GcaConv2dOptions(g3, 64, 64, 3).padding(1)
//                                 .padding_mode({gcan::nn::Padding::zeros, gcan::nn::Padding::circular}));
//   auto y = layer(x);                       // (N, 64, 3, H, W) -> (N, 64, 3, H, W)
template <std::size_t D>
class GcaConvImpl : public torch::nn::Cloneable<GcaConvImpl<D>>, public ActionParameters {
 public:
  GcaConvImpl(const Algebra& algebra, std::int64_t in_channels, std::int64_t out_channels,
              torch::ExpandingArray<D> kernel_size)
      : GcaConvImpl(GcaConvOptions<D>(algebra, in_channels, out_channels, kernel_size)) {}
  explicit GcaConvImpl(GcaConvOptions<D> options_);

  void reset() override;
  // x is (N, in, blades, space...).
  torch::Tensor forward(const torch::Tensor& x) { return forward_after({}, x); }
  // Applies `before` to x (N, in, blades, space...) first; unlike a separate layer, this saves nothing for
  // the backward pass. Adds `add`, of the result's shape, if defined.
  torch::Tensor forward_after(const Preparation& before, const torch::Tensor& x,
                              const torch::Tensor& add = {});
  void pretty_print(std::ostream& stream) const override;
  void fold() override;
  // LibTorch's layer that computes the same function on (N, channels * blades, space...). Error if the
  // padding mode differs between dimensions, which LibTorch does not support.
  [[nodiscard]] typename PlainConv<D>::Forward to_torch() const;
  // Stride, padding and so on of the ordinary convolution.
  [[nodiscard]] ConvolutionSettings convolution() const;

  GcaConvOptions<D> options;
};

// The transposed convolution (LibTorch's ConvTranspose) whose kernel acts on the input's objects with
// a x a^-1.
template <std::size_t D>
class GcaConvTransposeImpl : public torch::nn::Cloneable<GcaConvTransposeImpl<D>>, public ActionParameters {
 public:
  GcaConvTransposeImpl(const Algebra& algebra, std::int64_t in_channels, std::int64_t out_channels,
                       torch::ExpandingArray<D> kernel_size)
      : GcaConvTransposeImpl(GcaConvTransposeOptions<D>(algebra, in_channels, out_channels, kernel_size)) {}
  explicit GcaConvTransposeImpl(GcaConvTransposeOptions<D> options_);

  void reset() override;
  torch::Tensor forward(const torch::Tensor& x);
  void pretty_print(std::ostream& stream) const override;
  void fold() override;
  [[nodiscard]] typename PlainConv<D>::Transposed to_torch() const;
  [[nodiscard]] ConvolutionSettings convolution() const;

  GcaConvTransposeOptions<D> options;
};

using GcaConv1dOptions = GcaConvOptions<1>;
using GcaConv2dOptions = GcaConvOptions<2>;
using GcaConv3dOptions = GcaConvOptions<3>;
using GcaConvTranspose1dOptions = GcaConvTransposeOptions<1>;
using GcaConvTranspose2dOptions = GcaConvTransposeOptions<2>;
using GcaConvTranspose3dOptions = GcaConvTransposeOptions<3>;
using GcaConv1dImpl = GcaConvImpl<1>;
using GcaConv2dImpl = GcaConvImpl<2>;
using GcaConv3dImpl = GcaConvImpl<3>;
using GcaConvTranspose1dImpl = GcaConvTransposeImpl<1>;
using GcaConvTranspose2dImpl = GcaConvTransposeImpl<2>;
using GcaConvTranspose3dImpl = GcaConvTransposeImpl<3>;
TORCH_MODULE(GcaConv1d);
TORCH_MODULE(GcaConv2d);
TORCH_MODULE(GcaConv3d);
TORCH_MODULE(GcaConvTranspose1d);
TORCH_MODULE(GcaConvTranspose2d);
TORCH_MODULE(GcaConvTranspose3d);

}  // namespace gcan::nn
