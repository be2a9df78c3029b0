#pragma once

#include <cstdint>
#include <vector>

#include "gcan/data/moments.h"
#include "gcan/torch.h"
#include "gcan/train/files/safetensors.h"

namespace gcan::train {

// Which planes of a frame belong together: a scalar field is one plane, a vector field two.
struct FieldPlanes {
  std::int64_t first = 0;
  std::int64_t count = 1;
};

// Frames in the file's units to frames of size one and back: (x - mean) / scale, for each plane or each of
// its points. A vector field has no mean and one scale for its components, so that a rotated field is
// normalised to the rotated one.
//
//   const Normalisation n = Normalisation::of_fields(fields, moments);
//   n.apply_(frames);                  // (..., planes, H, W)
//   n.undo(prediction);
class Normalisation {
 public:
  // Leaves everything as it is.
  explicit Normalisation(std::int64_t planes);
  // Scalars by their mean and deviation, vectors by the root of their components' mean square deviation.
  static Normalisation of_fields(const std::vector<FieldPlanes>& fields,
                                 const std::vector<data::Moments>& planes);
  // As in the public shallow-water data: scalars point by point, vectors as they are. `mean` and `deviation`
  // are (planes, H, W).
  static Normalisation of_points(const std::vector<FieldPlanes>& fields, const torch::Tensor& mean,
                                 const torch::Tensor& deviation);

  void apply_(torch::Tensor& frames) const;
  [[nodiscard]] torch::Tensor undo(const torch::Tensor& frames) const;

  // The mean over space of a plane's scale: what a deviation of one means in the file's units.
  [[nodiscard]] double scale_of(std::int64_t plane) const;

  [[nodiscard]] NamedTensors tensors() const { return {{"mean", mean_}, {"scale", scale_}}; }
  // Error unless they are those of a normalisation of as many planes.
  void restore(const NamedTensors& tensors);

 private:
  torch::Tensor mean_, scale_;  // (planes, 1, 1) or (planes, H, W)
};

}  // namespace gcan::train
