#pragma once

// Clifford Fourier neural operators (Brandstetter et al. 2022): networks with global blocks, which multiply
// Clifford Fourier spectra.

#include <string>
#include <type_traits>
#include <vector>

#include "gcan/models/network.h"
#include "gcan/nn/clifford_conv.h"
#include "gcan/nn/clifford_fourier.h"
#include "gcan/nn/clifford_norm.h"

namespace gcan::models {

template <std::size_t D>
struct CliffordFourierNetOptions {
  // Hidden channels.
  TORCH_ARG(std::int64_t, channels) = 32;
  TORCH_ARG(std::int64_t, blocks) = 4;
  // Frequencies of each sign in a block; see CliffordSpectralConvOptions.
  TORCH_ARG(torch::ExpandingArray<D>, modes) = D == 2 ? 16 : 8;
  // Frames in and frames out.
  TORCH_ARG(std::int64_t, history) = D == 2 ? 4 : 2;
  TORCH_ARG(std::int64_t, future) = 1;
  // Whether blocks whiten, and in how many groups of channels.
  TORCH_ARG(bool, norm) = false;
  TORCH_ARG(std::int64_t, groups) = 1;
  // Zeros appended to each dimension for the blocks; 0 for periodic fields.
  TORCH_ARG(std::int64_t, padding) = D == 2 ? 9 : 2;
  // The spectral layers as released.
  TORCH_ARG(bool, released) = false;
};
using CliffordFourierNet2dOptions = CliffordFourierNetOptions<2>;
using CliffordMaxwellNet3dOptions = CliffordFourierNetOptions<3>;

// gelu(norm(fourier(x) + conv(x))) with a 1 x 1 convolution.
template <std::size_t D>
class CliffordFourierBlock : public torch::nn::Module {
 public:
  using Conv = std::conditional_t<D == 2, nn::CliffordConv2d, nn::CliffordConv3d>;
  using Spectral = std::conditional_t<D == 2, nn::CliffordSpectralConv2d, nn::CliffordSpectralConv3d>;

  explicit CliffordFourierBlock(const CliffordFourierNetOptions<D>& options);
  torch::Tensor forward(const torch::Tensor& x);

  Spectral fourier{nullptr};
  Conv conv{nullptr};
  nn::CliffordGroupNorm norm{nullptr};
};

// Base of the two- and three-dimensional networks: a convolution from the fields to multivectors, blocks, and
// a convolution back.
template <std::size_t D>
class CliffordFourierNet : public Network {
 public:
  explicit CliffordFourierNet(const CliffordFourierNetOptions<D>& options_);
  // (N, history, fields, space...) -> (N, future, fields, space...)
  torch::Tensor forward(const torch::Tensor& x) final;
  void pretty_print(std::ostream& stream) const override;

  CliffordFourierNetOptions<D> options;

 private:
  using Conv = typename CliffordFourierBlock<D>::Conv;

  Conv encoder_{nullptr}, decoder_{nullptr};
  std::vector<std::shared_ptr<CliffordFourierBlock<D>>> blocks_;
};

// A scalar and a vector field of the plane (pressure and wind), as multivectors of G(2,0,0) on 1, e1, e2.
//
//   auto network = gcan::models::CliffordFourierNet2d();
//   network(torch::randn({1, 4, 3, 64, 64}));          // (1, 1, 3, 64, 64)
class CliffordFourierNet2dImpl : public CloneableNetwork<CliffordFourierNet2dImpl, CliffordFourierNet<2>> {
 public:
  explicit CliffordFourierNet2dImpl(const CliffordFourierNet2dOptions& options_ = {})
      : CloneableNetwork(options_) {}
};
TORCH_MODULE(CliffordFourierNet2d);

// An electromagnetic field as a multivector of G(3,0,0): E on e1, e2, e3 and the bivector B I of the magnetic
// field on e12, e13, e23, that is B_3, -B_2, B_1.
//
//   auto network = gcan::models::CliffordMaxwellNet3d();
//   network(torch::randn({1, 2, 6, 24, 24, 24}));      // (1, 1, 6, 24, 24, 24)
class CliffordMaxwellNet3dImpl : public CloneableNetwork<CliffordMaxwellNet3dImpl, CliffordFourierNet<3>> {
 public:
  explicit CliffordMaxwellNet3dImpl(const CliffordMaxwellNet3dOptions& options_ = {})
      : CloneableNetwork(options_) {}
};
TORCH_MODULE(CliffordMaxwellNet3d);

}  // namespace gcan::models
