#pragma once

#include <string>

#include "gcan/models/fluid/fields.h"
#include "gcan/models/fluid/residual_block.h"
#include "gcan/models/network.h"

namespace gcan::models {

struct FluidSettings {
  explicit FluidSettings(Family family) : layers(family) {}

  LayerSettings layers;
  MemorySettings memory;
  Fields fields = Fields("s,v");
  std::int64_t history = 4;  // frames in
  std::int64_t future = 1;   // frames out
  std::int64_t channels = 64;
  std::int64_t blocks = 8;  // of a ResNet
};

// What the networks of the fluid experiments share: frames to features and back, and their errors.
class FluidNetwork : public Network, public Foldable {
 public:
  // (N, history, planes, height, width) -> (N, future, planes, height, width)
  torch::Tensor forward(const torch::Tensor& x) final;
  void fold_layers() override { layers_.fold(); }

  [[nodiscard]] const FluidSettings& settings() const { return settings_; }

 protected:
  // `title` is for errors; height and width must be multiples of `multiple`.
  FluidNetwork(std::string title, FluidSettings settings, std::int64_t multiple);
  // (N, inputs, blades, H, W) -> (N, outputs, blades, H, W)
  [[nodiscard]] virtual torch::Tensor run(const torch::Tensor& x) = 0;

  [[nodiscard]] std::int64_t inputs() const;
  [[nodiscard]] std::int64_t outputs() const;
  [[nodiscard]] std::shared_ptr<ResidualBlock> block(std::int64_t in, std::int64_t out) const;

  FluidSettings settings_;
  LayerSet layers_;

 private:
  void check(const torch::Tensor& x) const;

  std::string title_;
  std::int64_t multiple_;
};

}  // namespace gcan::models
