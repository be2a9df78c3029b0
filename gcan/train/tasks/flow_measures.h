#pragma once

#include <cstdint>
#include <optional>

#include "gcan/data/well_file.h"
#include "gcan/torch.h"
#include "gcan/train/tasks/normalisation.h"

namespace gcan::train {

// Conserved quantities and spectra of a flow, for frames (..., planes, H, W) in the file's units, with finite
// differences on the file's grid, on the sphere or in a plane box.
//
//   const FlowMeasures measures(description, planes);
//   measures.mass(frames);           // (...)
class FlowMeasures {
 public:
  FlowMeasures(const data::Description& description, const std::vector<FieldPlanes>& fields);

  [[nodiscard]] bool has_scalar() const { return scalar_.has_value(); }
  [[nodiscard]] bool has_vector() const { return vector_.has_value(); }
  // The index of the first scalar field's plane.
  [[nodiscard]] std::int64_t scalar_plane() const { return *scalar_; }

  // The area mean of the first scalar field.
  [[nodiscard]] torch::Tensor mass(const torch::Tensor& frames) const;
  // Half the area mean of the squared vorticity of the first vector field, on a sphere of radius 1.
  [[nodiscard]] torch::Tensor enstrophy(const torch::Tensor& frames) const;
  [[nodiscard]] torch::Tensor vorticity(const torch::Tensor& frames) const;
  // Half the squared amplitude of the first vector field (or, without one, the first scalar) by wavenumber:
  // on the sphere along circles of latitude, averaged over the area; in boxes by the length of the wave
  // vector. (..., wavenumbers from 0)
  [[nodiscard]] torch::Tensor spectrum(const torch::Tensor& frames) const;

 private:
  [[nodiscard]] torch::Tensor area_mean(const torch::Tensor& plane) const;
  [[nodiscard]] torch::Tensor spectral_planes(const torch::Tensor& frames) const;
  [[nodiscard]] torch::Tensor slope(const torch::Tensor& plane, std::int64_t axis) const;

  bool sphere_;
  std::optional<std::int64_t> scalar_, vector_;  // their first planes
  torch::Tensor area_;                           // of a row's points, (H, 1); sums to 1
  torch::Tensor cosine_;                         // of the latitude, (H, 1)
  torch::Tensor at_[2];                          // along the axes; angles in radians
  bool periodic_[2];
};

}  // namespace gcan::train
