#pragma once

#include <array>
#include <ostream>

#include "gcan/nn/detail/clifford_kernel.h"
#include "gcan/nn/detail/convolution.h"

namespace gcan::nn {

template <std::size_t D>
struct CliffordConvOptions {
  CliffordConvOptions(const Algebra& algebra, std::int64_t in_channels, std::int64_t out_channels,
                      torch::ExpandingArray<D> kernel_size)
      : algebra_(algebra),
        in_channels_(in_channels),
        out_channels_(out_channels),
        kernel_size_(kernel_size) {}
  TORCH_ARG(Algebra, algebra);
  TORCH_ARG(std::int64_t, in_channels);
  TORCH_ARG(std::int64_t, out_channels);
  TORCH_ARG(torch::ExpandingArray<D>, kernel_size);
  TORCH_ARG(torch::ExpandingArray<D>, stride) = 1;
  TORCH_ARG(torch::ExpandingArray<D>, padding) = 0;
  TORCH_ARG(torch::ExpandingArray<D>, dilation) = 1;
  // Whole multivector channels: channel i of the input reaches only the output channels of its group.
  TORCH_ARG(std::int64_t, groups) = 1;
  TORCH_ARG(bool, bias) = true;
  // What lies outside the grid, for each dimension of space.
  using Modes = std::array<Padding, D>;
  TORCH_ARG(Modes, padding_mode) = {};
  // The rotational layer, for G(0,2,0) only.
  TORCH_ARG(bool, rotation) = false;
  // The transposed convolution, which undoes a stride; without groups.
  TORCH_ARG(bool, transposed) = false;
  // Convolves in bfloat16; parameters, input and output stay float.
  TORCH_ARG(bool, bfloat16) = false;

 public:
  // The space is periodic in all its dimensions; otherwise zeros are padded.
  CliffordConvOptions& circular(bool on) {
    padding_mode_.fill(on ? Padding::circular : Padding::zeros);
    return *this;
  }
};
using CliffordConv1dOptions = CliffordConvOptions<1>;
using CliffordConv2dOptions = CliffordConvOptions<2>;
using CliffordConv3dOptions = CliffordConvOptions<3>;

// What the convolutions of one, two and three dimensions share.
template <std::size_t D, class Derived>
class CliffordConvImpl : public torch::nn::Cloneable<Derived> {
 public:
  explicit CliffordConvImpl(const CliffordConvOptions<D>& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& x) { return forward_after({}, x); }
  // `before` is done to x first; unlike a layer before this one, it keeps nothing for the backward pass.
  torch::Tensor forward_after(const Preparation& before, const torch::Tensor& x);
  // The kernel and bias of the ordinary convolution on (N, channels * blades, space...).
  [[nodiscard]] Recipe recipe() const;
  [[nodiscard]] ConvolutionSettings convolution() const;

  CliffordConvOptions<D> options;
  // (out, in / groups, blades, kernel...); (in, out, blades, kernel...) when transposed.
  torch::Tensor weight;
  torch::Tensor bias;   // (out, blades)
  torch::Tensor scale;  // of the rotational layer: as weight, without the blades
};

// Convolutions whose numbers are multivectors of all grades, y_o = sum_i x_i * w_oi + b_o (Brandstetter et
// al. 2022), for any algebra, computed as one ordinary convolution on (N, channels * blades, space...).
//
//   auto layer = gcan::nn::CliffordConv2d(gcan::nn::CliffordConv2dOptions(gcan::Algebra(2), 4, 8,
//   3).padding(1)); layer(torch::randn({2, 4, 4, 64, 64}));    // (2, 8, 4, 64, 64)
class CliffordConv1dImpl : public CliffordConvImpl<1, CliffordConv1dImpl> {
 public:
  using CliffordConvImpl::CliffordConvImpl;
};
class CliffordConv2dImpl : public CliffordConvImpl<2, CliffordConv2dImpl> {
 public:
  using CliffordConvImpl::CliffordConvImpl;
};
class CliffordConv3dImpl : public CliffordConvImpl<3, CliffordConv3dImpl> {
 public:
  using CliffordConvImpl::CliffordConvImpl;
};
TORCH_MODULE(CliffordConv1d);
TORCH_MODULE(CliffordConv2d);
TORCH_MODULE(CliffordConv3d);

}  // namespace gcan::nn
