#pragma once

// GCA layers on points with the points last: features are (channels, blades, columns) with one column per
// sample and point. A layer is then one product with its kernel from the left, the gate's vectors run along
// the columns, and nothing is copied between layers.
//
// A point (x, y, z) is x e012 + y e013 + z e023, the order in which kernels are fastest. It is the point
// (-z, y, -x), the scene in a mirror; motions in a mirror are motions. Velocities are vectors in the same
// mirror: a motor turns them by the rotation by which it turns positions, and its translation leaves them
// alone. So they pass through the kernel that the positions pass through, without its bias. Blades are then
// (e012, e3, e013, e2, e023, e1), that is (3, fields), and columns the positions' and then the velocities'.

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
  // The paper's embedding of velocities, v_x e1 + v_y e2 + v_z e3, without the mirror: positions and
  // velocities then turn by different rotations.
  bool paper_velocities = false;

  explicit GcaSettings(const config::Options& options);
  GcaSettings() = default;
};

// The options that GcaSettings reads beside those of the scene.
std::vector<config::Option> gca_options();

nn::GcaLinear gca_linear(const GcaSettings& settings, std::int64_t in, std::int64_t out);
nn::MSiLU gca_gate(const GcaSettings& settings, std::int64_t channels);
nn::GcaNorm gca_norm(const GcaSettings& settings, std::int64_t channels);

// A module on (channels, blades, columns), x as (channels * 3, fields * columns).
template <class Layer>
torch::Tensor columnwise(Layer& layer, const torch::Tensor& x, std::int64_t fields) {
  return layer(x.view({1, x.size(0) / 3, 3 * fields, x.size(1) / fields})).view(x.sizes());
}

// Velocities into or out of the mirror, where the settings ask for it; x is (steps * 3, fields, ...).
torch::Tensor mirror_velocities(const GcaSettings& settings, const torch::Tensor& x);

}  // namespace gcan::models
