#pragma once

#include <cstdint>
#include <vector>

#include "gcan/data/moments.h"
#include "gcan/torch.h"
#include "gcan/train/files/safetensors.h"

namespace gcan::train {

// The planes of a field in a frame: one for a scalar, two for a vector.
struct FieldPlanes {
  std::int64_t first = 0;
  std::int64_t count = 1;
};

// Normalises frames in the file's units and back: (x - mean) / scale, per plane or per point. A vector field
// has mean 0 and one scale for its components, so normalisation commutes with rotations.
//
//   const Normalisation n = Normalisation::of_fields(fields, moments);
//   n.apply_(frames);                  // (..., planes, H, W)
//   n.undo(prediction);
class Normalisation {
 public:
  // The identity.
  explicit Normalisation(std::int64_t planes);
  // Scalars by mean and standard deviation, vectors by the root-mean-square of their components.
  static Normalisation of_fields(const std::vector<FieldPlanes>& fields,
                                 const std::vector<data::Moments>& planes);
  // As in the public shallow-water data: scalars by point, vectors unchanged. `mean` and `deviation` are
  // (planes, H, W).
  static Normalisation of_points(const std::vector<FieldPlanes>& fields, const torch::Tensor& mean,
                                 const torch::Tensor& deviation);

  void apply_(torch::Tensor& frames) const;
  [[nodiscard]] torch::Tensor undo(const torch::Tensor& frames) const;

  // The spatial mean of a plane's scale, in the file's units.
  [[nodiscard]] double scale_of(std::int64_t plane) const;

  [[nodiscard]] NamedTensors tensors() const { return {{"mean", mean_}, {"scale", scale_}}; }
  // Error unless they belong to a normalisation with the same number of planes.
  void restore(const NamedTensors& tensors);

 private:
  torch::Tensor mean_, scale_;  // (planes, 1, 1) or (planes, H, W)
};

}  // namespace gcan::train
