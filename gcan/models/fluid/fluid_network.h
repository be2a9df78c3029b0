#pragma once

#include <string>

#include "gcan/models/fluid/fields.h"
#include "gcan/models/fluid/residual_block.h"
#include "gcan/models/network.h"

namespace gcan::models {

// The values of FluidOptions.
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

// Base of the fluid networks: conversion between frames and features, and error checks.
class FluidNetwork : public Network {
 public:
  // (N, history, planes, height, width) -> (N, future, planes, height, width)
  torch::Tensor forward(const torch::Tensor& x) final;
  // "GCA-UNet(64 channels, 4 frames of s,v -> 1 frame)"
  void pretty_print(std::ostream& stream) const override;

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
