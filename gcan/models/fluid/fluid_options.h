#pragma once

// The options of the fluid networks, of each family of layers.

#include <string>

#include "gcan/models/fluid/fluid_network.h"
#include "gcan/nn/inherited_arg.h"
#include "gcan/nn/padding.h"

namespace gcan::models {

template <class Derived>
class FluidOptions {
  // The name in the paper's tables, for messages.
  GCAN_INHERITED_ARG(std::string, title);
  // Hidden channels, for a UNet at full resolution.
  GCAN_INHERITED_ARG(std::int64_t, channels);
  // The fields of a frame in order, s for a scalar and v for a vector field.
  GCAN_INHERITED_ARG(std::string, fields) = "s,v";
  // Frames in and frames out.
  GCAN_INHERITED_ARG(std::int64_t, history) = 4;
  GCAN_INHERITED_ARG(std::int64_t, future) = 1;
  // Whether blocks normalise.
  GCAN_INHERITED_ARG(bool, norm) = true;
  // Of rows (latitude) and columns (longitude).
  GCAN_INHERITED_ARG(nn::PaddingModes<2>, padding_mode) = nn::Padding::zeros;
  // Convolves in bfloat16; parameters, input and output stay float.
  GCAN_INHERITED_ARG(bool, bfloat16) = false;
  // See MemorySettings.
  GCAN_INHERITED_ARG(bool, recompute) = false;
  GCAN_INHERITED_ARG(bool, checkpoint) = false;

 protected:
  FluidOptions(std::string title, std::int64_t channels) : title_(std::move(title)), channels_(channels) {}

  [[nodiscard]] FluidSettings settings_of(Family family) const {
    FluidSettings settings(family);
    settings.layers.norm = norm_;
    settings.layers.padding = padding_mode_;
    settings.layers.bfloat16 = bfloat16_;
    settings.memory = {recompute_, checkpoint_};
    settings.fields = Fields(fields_);
    settings.history = history_;
    settings.future = future_;
    settings.channels = channels_;
    return settings;
  }
};

template <class Derived>
class PlainFluidOptions : public FluidOptions<Derived> {
 public:
  [[nodiscard]] FluidSettings settings() const { return this->settings_of(Family::plain); }

 protected:
  using FluidOptions<Derived>::FluidOptions;
};

template <class Derived>
class CliffordFluidOptions : public FluidOptions<Derived> {
  // The rotational layers in G(0,2,0) instead of geometric products in G(2,0,0).
  GCAN_INHERITED_ARG(bool, rotation) = false;

 public:
  [[nodiscard]] FluidSettings settings() const {
    return this->settings_of(rotation_ ? Family::rotational : Family::clifford);
  }

 protected:
  using FluidOptions<Derived>::FluidOptions;
};

template <class Derived>
class GcaFluidOptions : public FluidOptions<Derived> {
  // The layers as released by the authors, or as in the paper's text: see LayerSettings.
  GCAN_INHERITED_ARG(bool, released) = true;
  GCAN_INHERITED_ARG(nn::Aggregation, aggregation) = nn::Aggregation::linear;

 public:
  [[nodiscard]] FluidSettings settings() const {
    FluidSettings settings = this->settings_of(Family::gca);
    settings.layers.released = released_;
    settings.layers.aggregation = aggregation_;
    return settings;
  }

 protected:
  GcaFluidOptions(std::string title, std::int64_t channels)
      : FluidOptions<Derived>(std::move(title), channels) {
    this->recompute(true);
  }
};

}  // namespace gcan::models
