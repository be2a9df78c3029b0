#pragma once

#include "gcan/models/fluid/layers.h"

namespace gcan::models {

// Trades time for memory in training.
struct MemorySettings {
  // Recomputes norms and activations before convolutions in the backward pass, storing one activation per
  // pair instead of two; those of up to 2.5 MiB are stored nevertheless.
  bool recompute = true;
  // Recomputes whole blocks, storing only the input of a block.
  bool checkpoint = false;
};

// x + conv(act(norm(conv(act(norm(x)))))) with 3x3 convolutions; if the number of channels changes, x passes
// through a 1x1 convolution.
class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(const LayerSettings& settings, std::int64_t in, std::int64_t out, MemorySettings memory);

  torch::Tensor forward(const torch::Tensor& x);

 private:
  [[nodiscard]] torch::Tensor run(const torch::Tensor& x) const;

  LayerSet layers_;
  MemorySettings memory_;
  const Layer &norm1_, &conv1_, &norm2_, &conv2_;
  const Layer* shortcut_ = nullptr;
};

// conv(before(x)), plus `add` unless it is undefined; see MemorySettings::recompute.
torch::Tensor after(const Layer& conv, const Layer& before, const torch::Tensor& x, bool recompute,
                    const torch::Tensor& add = {});

}  // namespace gcan::models
