#pragma once

#include <ostream>

#include "gcan/algebra/algebra.h"
#include "gcan/nn/fold.h"
#include "gcan/nn/plain_kernel.h"
#include "gcan/torch.h"

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
  // Groups of whole multivector channels that do not mix.
  TORCH_ARG(std::int64_t, groups) = 1;
  TORCH_ARG(bool, bias) = true;
  // One value for all dimensions, or one per dimension.
  TORCH_ARG(PaddingModes<D>, padding_mode) = Padding::zeros;
  // The rotational layer, for G(0,2,0) only.
  TORCH_ARG(bool, rotation) = false;
  // Convolves in bfloat16; parameters, input and output stay float.
  TORCH_ARG(bool, bfloat16) = false;
};
using CliffordConv1dOptions = CliffordConvOptions<1>;
using CliffordConv2dOptions = CliffordConvOptions<2>;
using CliffordConv3dOptions = CliffordConvOptions<3>;

template <std::size_t D>
struct CliffordConvTransposeOptions {
  CliffordConvTransposeOptions(const Algebra& algebra, std::int64_t in_channels, std::int64_t out_channels,
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
  TORCH_ARG(torch::ExpandingArray<D>, output_padding) = 0;
  TORCH_ARG(torch::ExpandingArray<D>, dilation) = 1;
  TORCH_ARG(bool, bias) = true;
  // Zeros or circular.
  TORCH_ARG(PaddingModes<D>, padding_mode) = Padding::zeros;
  // The rotational layer, for G(0,2,0) only.
  TORCH_ARG(bool, rotation) = false;
  // Convolves in bfloat16; parameters, input and output stay float.
  TORCH_ARG(bool, bfloat16) = false;
};
using CliffordConvTranspose1dOptions = CliffordConvTransposeOptions<1>;
using CliffordConvTranspose2dOptions = CliffordConvTransposeOptions<2>;
using CliffordConvTranspose3dOptions = CliffordConvTransposeOptions<3>;

// Base of the convolutions in one, two and three dimensions, transposed or not.
template <std::size_t D, class Derived, class Options>
class CliffordConvImpl : public torch::nn::Cloneable<Derived>, public Foldable {
 public:
  CliffordConvImpl(const Algebra& algebra, std::int64_t in_channels, std::int64_t out_channels,
                   torch::ExpandingArray<D> kernel_size)
      : CliffordConvImpl(Options(algebra, in_channels, out_channels, kernel_size)) {}
  explicit CliffordConvImpl(const Options& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& x) { return forward_after({}, x); }
  // Applies `before` to x first; unlike a separate layer, this saves nothing for the backward pass. If `add`,
  // of the result's shape, is defined, it is added.
  torch::Tensor forward_after(const Preparation& before, const torch::Tensor& x,
                              const torch::Tensor& add = {});
  // The kernel and bias of the ordinary convolution on (N, channels * blades, space...).
  [[nodiscard]] Recipe recipe() const;
  [[nodiscard]] ConvolutionSettings convolution() const;
  void fold() override;
  [[nodiscard]] bool is_folded() const override { return folded_; }

  Options options;
  // (out, in / groups, blades, kernel...); (in, out, blades, kernel...) when transposed. In a folded layer,
  // `weight` and `bias` are those of the plain layer.
  torch::Tensor weight;
  torch::Tensor bias;   // (out, blades)
  torch::Tensor scale;  // of the rotational layer: shaped like weight, without the blades

 private:
  // Whether x is convolved as 2x2 matrices, which takes half the multiplications, and that convolution.
  [[nodiscard]] bool has_matrices(const torch::Tensor& x) const;
  [[nodiscard]] torch::Tensor through_matrices(const Preparation& before, const torch::Tensor& x,
                                               const torch::Tensor& add) const;

  bool folded_ = false;
};

// Convolutions of multivectors of all grades, y_o = sum_i x_i * w_oi + b_o (Brandstetter et
// al. 2022), for any algebra, computed by an ordinary convolution on (N, channels * blades, space...). The
// transposed versions undo a stride.
//
//   auto layer = gcan::nn::CliffordConv2d(gcan::Algebra(2), 4, 8, 3);
//   layer(torch::randn({2, 4, 4, 64, 64}));    // (2, 8, 4, 62, 62)
class CliffordConv1dImpl : public CliffordConvImpl<1, CliffordConv1dImpl, CliffordConv1dOptions> {
 public:
  using CliffordConvImpl::CliffordConvImpl;
};
class CliffordConv2dImpl : public CliffordConvImpl<2, CliffordConv2dImpl, CliffordConv2dOptions> {
 public:
  using CliffordConvImpl::CliffordConvImpl;
};
class CliffordConv3dImpl : public CliffordConvImpl<3, CliffordConv3dImpl, CliffordConv3dOptions> {
 public:
  using CliffordConvImpl::CliffordConvImpl;
};
class CliffordConvTranspose1dImpl
    : public CliffordConvImpl<1, CliffordConvTranspose1dImpl, CliffordConvTranspose1dOptions> {
 public:
  using CliffordConvImpl::CliffordConvImpl;
};
class CliffordConvTranspose2dImpl
    : public CliffordConvImpl<2, CliffordConvTranspose2dImpl, CliffordConvTranspose2dOptions> {
 public:
  using CliffordConvImpl::CliffordConvImpl;
};
class CliffordConvTranspose3dImpl
    : public CliffordConvImpl<3, CliffordConvTranspose3dImpl, CliffordConvTranspose3dOptions> {
 public:
  using CliffordConvImpl::CliffordConvImpl;
};
TORCH_MODULE(CliffordConv1d);
TORCH_MODULE(CliffordConv2d);
TORCH_MODULE(CliffordConv3d);
TORCH_MODULE(CliffordConvTranspose1d);
TORCH_MODULE(CliffordConvTranspose2d);
TORCH_MODULE(CliffordConvTranspose3d);

}  // namespace gcan::nn
