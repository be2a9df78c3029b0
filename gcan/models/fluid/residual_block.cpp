#include "gcan/models/fluid/residual_block.h"

#include "gcan/nn/checkpoint.h"

namespace gcan::models {

using torch::Tensor;

// Recomputing up to this many numbers, 2.5 MiB, costs more time than the memory is worth.
constexpr std::int64_t kKept = 640 << 10;

Tensor after(const Layer& conv, const Layer& before, const Tensor& x, bool recompute, const Tensor& add) {
  return recompute && x.numel() > kKept ? conv(x, before.preparation(), add) : conv(before(x), {}, add);
}

ResidualBlock::ResidualBlock(const LayerSettings& settings, std::int64_t in, std::int64_t out,
                             MemorySettings memory)
    : layers_(*this),
      memory_(memory),
      norm1_(layers_.add("norm1", norm_activation(settings, in))),
      conv1_(layers_.add("conv1", convolution(settings, {in, out, 3}))),
      norm2_(layers_.add("norm2", norm_activation(settings, out))),
      conv2_(layers_.add("conv2", convolution(settings, {out, out, 3}))) {
  if (in == out) return;
  // In the released GCA networks only the blocks' 3x3 convolutions have a bias.
  const bool bias = settings.family != Family::gca;
  shortcut_ = &layers_.add("shortcut", convolution(settings, {in, out, 1, 1, bias}));
}

Tensor ResidualBlock::run(const Tensor& x) const {
  const Tensor h = after(conv1_, norm1_, x, memory_.recompute);
  return after(conv2_, norm2_, h, memory_.recompute, shortcut_ ? (*shortcut_)(x) : x);
}

Tensor ResidualBlock::forward(const Tensor& x) {
  if (!memory_.checkpoint) return run(x);
  const auto self = std::static_pointer_cast<ResidualBlock>(shared_from_this());
  return nn::checkpoint([self](const Tensor& input) { return self->run(input); }, parameters(), x);
}

}  // namespace gcan::models
