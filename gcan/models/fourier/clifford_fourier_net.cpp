#include "gcan/models/fourier/clifford_fourier_net.h"

#include "gcan/nn/detail/checks.h"

namespace gcan::models {
namespace {

using torch::Tensor;

// The blades of the fields: 1, e1, e2 in the plane; e1, e2, e3, e12, e13, e23 in space.
template <std::size_t D>
constexpr std::int64_t kFirstBlade = D == 2 ? 0 : 1;
template <std::size_t D>
constexpr std::int64_t kFields = D == 2 ? 3 : 6;

template <std::size_t D>
std::string text(const CliffordFourierNetOptions<D>& options) {
  const auto frames = [](std::int64_t n) { return std::to_string(n) + (n == 1 ? " frame" : " frames"); };
  return std::string(D == 2 ? "CliffordFourierNet2d" : "CliffordMaxwellNet3d") + "(" +
         std::to_string(options.channels()) + " channels, " + frames(options.history()) + " -> " +
         frames(options.future()) + ")";
}

Algebra algebra_of(std::size_t dimensions) { return Algebra(static_cast<int>(dimensions)); }

}  // namespace

template <std::size_t D>
CliffordFourierBlock<D>::CliffordFourierBlock(const CliffordFourierNetOptions<D>& options) {
  const Algebra algebra = algebra_of(D);
  const std::int64_t c = options.channels();
  fourier = this->register_module(
      "fourier",
      Spectral(
          nn::CliffordSpectralConvOptions<D>(algebra, c, c, options.modes()).released(options.released())));
  conv = this->register_module("conv", Conv(algebra, c, c, 1));
  if (options.norm()) {
    norm = this->register_module("norm", nn::CliffordGroupNorm(algebra, options.groups(), c));
  }
}

template <std::size_t D>
Tensor CliffordFourierBlock<D>::forward(const Tensor& x) {
  const Tensor h = fourier(x) + conv(x);
  return torch::gelu(norm ? norm(h) : h);
}

template <std::size_t D>
CliffordFourierNet<D>::CliffordFourierNet(const CliffordFourierNetOptions<D>& options_) : options(options_) {
  if (options.channels() < 1 || options.history() < 1 || options.future() < 1 || options.blocks() < 1 ||
      options.padding() < 0) {
    throw Error(text(options) +
                " needs at least one channel, one frame in, one frame out and one block, and a "
                "padding of at least 0");
  }
  const Algebra algebra = algebra_of(D);
  encoder_ = this->register_module("encoder", Conv(algebra, options.history(), options.channels(), 1));
  const auto group = this->register_module("layers", std::make_shared<torch::nn::Module>());
  for (std::int64_t i = 0; i < options.blocks(); ++i) {
    blocks_.push_back(
        group->register_module(std::to_string(i), std::make_shared<CliffordFourierBlock<D>>(options)));
  }
  decoder_ = this->register_module(
      "decoder",
      Conv(nn::CliffordConvOptions<D>(algebra, options.channels(), options.future(), 1).bias(false)));
}

template <std::size_t D>
void CliffordFourierNet<D>::pretty_print(std::ostream& stream) const {
  stream << "gcan::models::" << text(options);
}

template <std::size_t D>
Tensor CliffordFourierNet<D>::forward(const Tensor& x) {
  std::vector<std::int64_t> expected = {-1, options.history(), kFields<D>};
  expected.insert(expected.end(), D, -1);
  nn::detail::check_shape(text(options), x, expected);
  const std::int64_t blades = std::int64_t{1} << D;
  std::vector<std::int64_t> around(2 * D, 0), behind;  // the last dimension first
  around.insert(around.end(), {kFirstBlade<D>, blades - kFields<D> - kFirstBlade<D>});
  for (std::size_t d = 0; d < D; ++d) behind.insert(behind.end(), {0, options.padding()});
  Tensor h = encoder_(torch::constant_pad_nd(torch::gelu(x), around));
  if (options.padding() > 0) h = torch::constant_pad_nd(h, behind);
  for (const auto& block : blocks_) h = block->forward(h);
  for (std::int64_t d = 3; d < x.dim(); ++d) h = h.narrow(d, 0, x.size(d));
  return decoder_(h.contiguous()).narrow(2, kFirstBlade<D>, kFields<D>).contiguous();
}

template class CliffordFourierBlock<2>;
template class CliffordFourierBlock<3>;
template class CliffordFourierNet<2>;
template class CliffordFourierNet<3>;

}  // namespace gcan::models
