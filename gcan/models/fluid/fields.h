#pragma once

#include <string>
#include <vector>

#include "gcan/models/fluid/layers.h"

namespace gcan::models {

// The scalar fields (one plane) and vector fields (two neighbouring planes) of a frame, and their embedding
// into multivectors. The first scalar and the first vector make the first multivector, and so on; missing
// partners are zero.
//   GCA, G(3,0,0): the scalar on e1, the vector on e2, e3: one vector, as in the paper;
//   Clifford, G(2,0,0) and G(0,2,0): the scalar on 1, the vector on e1, e2, and nothing on e12.
//
//   Fields fields("s,v");                      // pressure, then wind
//   fields.embed(x, settings);                 // (N, 4, 3, H, W) -> (N, 4, 3 blades, H, W)
class Fields {
 public:
  // "s,v", "v,s,s", ...; Error otherwise.
  explicit Fields(const std::string& text);

  // Planes of a frame.
  [[nodiscard]] std::int64_t planes() const { return planes_; }
  // Channels of features that a frame makes.
  [[nodiscard]] std::int64_t channels(const LayerSettings& settings) const;
  [[nodiscard]] const std::string& text() const { return text_; }

  // (N, steps, planes, H, W) -> (N, steps * channels, blades, H, W)
  [[nodiscard]] torch::Tensor embed(const torch::Tensor& x, const LayerSettings& settings) const;
  // (N, steps * channels, blades, H, W) -> (N, steps, planes, H, W)
  [[nodiscard]] torch::Tensor extract(const torch::Tensor& y, const LayerSettings& settings) const;

 private:
  // The index of each plane among the features (channels * blades) of a frame.
  [[nodiscard]] std::vector<std::int64_t> places(const LayerSettings& settings) const;

  std::string text_;
  std::vector<std::int64_t> scalars_, vectors_;  // their first planes
  std::int64_t planes_ = 0;
};

}  // namespace gcan::models
