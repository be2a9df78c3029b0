#pragma once

#include "gcan/models/fluid/layers.h"

namespace gcan::models {

// What a network spends to save memory in training.
struct MemorySettings {
  // Norms and activations before convolutions are made again in the backward pass, so that of each pair one
  // activation is kept and not two.
  bool recompute = true;
  // Whole blocks are run again: of a block nothing but its input is kept.
  bool checkpoint = false;
};

// x + conv(act(norm(conv(act(norm(x)))))), both convolutions 3x3; where the number of channels changes, x
// passes through a 1x1 convolution.
class ResidualBlock : public torch::nn::Module, public Foldable {
 public:
  ResidualBlock(const LayerSettings& settings, std::int64_t in, std::int64_t out, MemorySettings memory);

  torch::Tensor forward(const torch::Tensor& x);
  void fold_layers() override { layers_.fold(); }

 private:
  [[nodiscard]] torch::Tensor run(const torch::Tensor& x) const;

  LayerSet layers_;
  MemorySettings memory_;
  const Layer &norm1_, &conv1_, &norm2_, &conv2_;
  const Layer* shortcut_ = nullptr;
};

// conv(before(x)); see MemorySettings::recompute.
torch::Tensor after(const Layer& conv, const Layer& before, const torch::Tensor& x, bool recompute);

}  // namespace gcan::models
