#pragma once

// Clifford Fourier transforms and spectral convolutions (Brandstetter et al. 2022).

#include <ostream>

#include "gcan/algebra/algebra.h"
#include "gcan/torch.h"

namespace gcan::nn {

// The Fourier transform whose imaginary unit is the pseudoscalar I of the algebra,
//
//   F(k) = sum_p x(p) exp(-I 2 pi (k_1 p_1 / n_1 + ... + k_D p_D / n_D)),
//
// over the grid of x (N, channels, blades, space...) with all blades. If I^2 = -1, as in G(0,1,0), G(2,0,0),
// G(0,2,0) and G(3,0,0), each blade and its dual form a complex number, and the transform is an ordinary one
// for each such pair; Error for other algebras.
torch::Tensor clifford_fourier(const Algebra& algebra, const torch::Tensor& x);

// Its inverse.
torch::Tensor inverse_clifford_fourier(const Algebra& algebra, const torch::Tensor& spectrum);

template <std::size_t D>
struct CliffordSpectralConvOptions {
  CliffordSpectralConvOptions(const Algebra& algebra, std::int64_t in_channels, std::int64_t out_channels,
                              torch::ExpandingArray<D> modes)
      : algebra_(algebra), in_channels_(in_channels), out_channels_(out_channels), modes_(modes) {}
  TORCH_ARG(Algebra, algebra);
  TORCH_ARG(std::int64_t, in_channels);
  TORCH_ARG(std::int64_t, out_channels);
  // The number of frequencies of each sign along each dimension: 0 ... modes - 1 and -modes ... -1. On a grid
  // with fewer than 2 * modes points, frequencies that are both use the weights of the negative ones.
  TORCH_ARG(torch::ExpandingArray<D>, modes);
  // Without weights the layer is a low-pass filter.
  TORCH_ARG(bool, multiply) = true;
  // As released: any signature; e2 and e13 of G(3,0,0) pair without the sign of e2 I = -e13; and in three
  // dimensions the frequencies (-, +, -) get the result of (+, +, -).
  TORCH_ARG(bool, released) = false;
};
using CliffordSpectralConv1dOptions = CliffordSpectralConvOptions<1>;
using CliffordSpectralConv2dOptions = CliffordSpectralConvOptions<2>;
using CliffordSpectralConv3dOptions = CliffordSpectralConvOptions<3>;

// Base of the layers in one, two and three dimensions.
template <std::size_t D, class Derived>
class CliffordSpectralConvImpl : public torch::nn::Cloneable<Derived> {
 public:
  CliffordSpectralConvImpl(const Algebra& algebra, std::int64_t in_channels, std::int64_t out_channels,
                           torch::ExpandingArray<D> modes)
      : CliffordSpectralConvImpl(CliffordSpectralConvOptions<D>(algebra, in_channels, out_channels, modes)) {}
  explicit CliffordSpectralConvImpl(const CliffordSpectralConvOptions<D>& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& x);

  CliffordSpectralConvOptions<D> options;
  torch::Tensor weight;  // (out, in, blades, 2 * modes...), the frequencies in the order of the transform

 private:
  [[nodiscard]] torch::Tensor kept(torch::Tensor spectrum) const;
  [[nodiscard]] torch::Tensor multiplied(const torch::Tensor& spectrum) const;
  [[nodiscard]] torch::Tensor placed(torch::Tensor spectrum, torch::IntArrayRef space) const;
};

// A global convolution in the spectrum: the lowest frequencies of the Clifford Fourier transform are
// multiplied by multivectors, y_o(k) = sum_i x_i(k) w_oi(k), and the others are set to zero. The same weights
// work at every resolution.
//
//   auto layer = gcan::nn::CliffordSpectralConv2d(gcan::Algebra(2), 4, 8, 12);
//   layer(torch::randn({2, 4, 4, 64, 64}));    // (2, 8, 4, 64, 64)
class CliffordSpectralConv1dImpl : public CliffordSpectralConvImpl<1, CliffordSpectralConv1dImpl> {
 public:
  using CliffordSpectralConvImpl::CliffordSpectralConvImpl;
};
class CliffordSpectralConv2dImpl : public CliffordSpectralConvImpl<2, CliffordSpectralConv2dImpl> {
 public:
  using CliffordSpectralConvImpl::CliffordSpectralConvImpl;
};
class CliffordSpectralConv3dImpl : public CliffordSpectralConvImpl<3, CliffordSpectralConv3dImpl> {
 public:
  using CliffordSpectralConvImpl::CliffordSpectralConvImpl;
};
TORCH_MODULE(CliffordSpectralConv1d);
TORCH_MODULE(CliffordSpectralConv2d);
TORCH_MODULE(CliffordSpectralConv3d);

}  // namespace gcan::nn
