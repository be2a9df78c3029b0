#pragma once

// The layers of fluid networks in four families with one interface, so that each architecture is written
// once. Features are (N, channels, blades, height, width); plain features have one blade.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gcan/algebra/algebra.h"
#include "gcan/nn/conv.h"
#include "gcan/nn/msilu.h"
#include "gcan/torch.h"

namespace gcan::models {

enum class Family {
  plain,       // LibTorch's convolutions, group normalisation and GELU
  clifford,    // geometric products in G(2,0,0), whitening and GELU (Brandstetter et al. 2022)
  rotational,  // the same authors' rotational layers in G(0,2,0)
  gca,         // group actions in G(3,0,0), centring and gates (the paper)
};

struct LayerSettings {
  explicit LayerSettings(Family family);

  Family family;
  Algebra algebra;
  std::vector<Blade> objects;  // the blades of features; empty for plain ones
  // GCA layers as released by the authors, or as in the paper's text: norms that divide by the mean norm,
  // with one factor per grade and no bias, actions that are not normalised, and gates per grade without a
  // constant term.
  bool released = true;
  nn::Aggregation aggregation = nn::Aggregation::linear;  // of the gates
  bool norm = true;
  std::array<nn::Padding, 2> padding{};  // of latitude and longitude
  bool bfloat16 = false;                 // in convolutions

  // Numbers per channel and point.
  [[nodiscard]] std::int64_t blades() const;
};

// One step of a network.
struct Layer {
  std::shared_ptr<torch::nn::Module> module;  // owns the parameters; null if there are none
  // Convolutions first apply `before` to their input and add `add`, if defined, to their result; other layers
  // support neither.
  std::function<torch::Tensor(const torch::Tensor& x, const nn::Preparation& before,
                              const torch::Tensor& add)>
      run;

  torch::Tensor operator()(const torch::Tensor& x, const nn::Preparation& before = {},
                           const torch::Tensor& add = {}) const {
    return run(x, before, add);
  }
  // This layer as the `before` of a convolution.
  [[nodiscard]] nn::Preparation preparation() const;
};

struct ConvShape {
  std::int64_t in, out, kernel;
  std::int64_t stride = 1;
  bool bias = true;
  bool transposed = false;
};

// A convolution whose padding keeps the size of the grid, except for the stride.
Layer convolution(const LayerSettings& settings, const ConvShape& shape);

// The family's activation; GELU has no parameters.
Layer activation(const LayerSettings& settings, std::int64_t channels);

// Normalisation in groups of channels, if the settings have any, then activation.
Layer norm_activation(const LayerSettings& settings, std::int64_t channels, std::int64_t groups = 1);

// The layers of a block or network, registered under their names with the module that owns them.
class LayerSet {
 public:
  explicit LayerSet(torch::nn::Module& owner) : owner_(owner) {}
  LayerSet(const LayerSet&) = delete;
  LayerSet& operator=(const LayerSet&) = delete;

  // The reference remains valid for the lifetime of the set.
  const Layer& add(const std::string& name, Layer layer);

 private:
  torch::nn::Module& owner_;
  std::vector<std::unique_ptr<Layer>> layers_;
};

// A numbered list of blocks and layers inside a network, which determines the names of their parameters.
class LayerGroup : public torch::nn::Module {
 public:
  LayerGroup() : layers(*this) {}

  LayerSet layers;
};

}  // namespace gcan::models
