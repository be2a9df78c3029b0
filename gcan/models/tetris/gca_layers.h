#pragma once

// GCA layers in a layout with points last: features are (channels, blades, columns) with one column per
// sample and point. A layer is then a single matrix product with its kernel, gates vectorise along columns,
// and nothing is copied between layers.
//
// A point (x, y, z) is stored as x e012 + y e013 + z e023, the fastest order for kernels. Geometrically this
// is the point (-z, y, -x), a mirror image of the scene, which maps motions to motions. Velocities are
// mirrored vectors: a motor rotates them like positions and does not translate them, so they pass through the
// same kernel as positions, without its bias. Blades are then (e012, e3, e013, e2, e023, e1), that is (3,
// fields), and columns hold positions, then velocities.

#include <string>
#include <vector>

#include "gcan/models/tetris/tetris_network.h"
#include "gcan/nn/linear.h"
#include "gcan/nn/msilu.h"
#include "gcan/nn/norm.h"

namespace gcan::models {

struct GcaSettings {
  std::int64_t fields = 1;
  double delta0 = 0;
  Inverse inverse = Inverse::reverse;
  nn::Gates gates = nn::Gates::per_channel;
  nn::Aggregation aggregation = nn::Aggregation::linear;
  bool norm = false;
  // The paper's embedding of velocities, v_x e1 + v_y e2 + v_z e3, is not mirrored: positions and velocities
  // are then rotated differently.
  bool paper_velocities = false;
};

// Common options of GcaMlp and GcaGnn.
template <class Derived>
class GcaSceneOptions : public SceneOptions<Derived> {
  // Multivectors in a hidden layer.
  GCAN_INHERITED_ARG(std::int64_t, channels);
  GCAN_INHERITED_ARG(std::int64_t, layers);
  // Initial value of the learnt weight e123 of the points; 0, as released with the paper, disables
  // translations.
  GCAN_INHERITED_ARG(double, delta0) = 0;
  GCAN_INHERITED_ARG(Inverse, inverse) = Inverse::reverse;
  GCAN_INHERITED_ARG(nn::Gates, gates) = nn::Gates::per_channel;
  GCAN_INHERITED_ARG(nn::Aggregation, aggregation) = nn::Aggregation::linear;
  // GcaNorm between the layers.
  GCAN_INHERITED_ARG(bool, norm) = false;
  // See GcaSettings.
  GCAN_INHERITED_ARG(bool, paper_velocities) = false;

 public:
  [[nodiscard]] GcaSettings settings() const {
    return {this->velocities() ? 2 : 1, delta0_, inverse_, gates_, aggregation_, norm_, paper_velocities_};
  }

 protected:
  GcaSceneOptions(std::string title, std::int64_t channels, std::int64_t layers)
      : SceneOptions<Derived>(std::move(title)), channels_(channels), layers_(layers) {}
};

nn::GcaLinear gca_linear(const GcaSettings& settings, std::int64_t in, std::int64_t out);
nn::MSiLU gca_gate(const GcaSettings& settings, std::int64_t channels);
nn::GcaNorm gca_norm(const GcaSettings& settings, std::int64_t channels);

// A module on (channels, blades, columns), x as (channels * 3, fields * columns).
template <class Layer>
torch::Tensor columnwise(Layer& layer, const torch::Tensor& x, std::int64_t fields) {
  return layer(x.view({1, x.size(0) / 3, 3 * fields, x.size(1) / fields})).view(x.sizes());
}

// Mirrors velocities if the settings require it; x is (steps * 3, fields, ...).
torch::Tensor mirror_velocities(const GcaSettings& settings, const torch::Tensor& x);

}  // namespace gcan::models
