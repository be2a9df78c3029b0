#include "gcan/train/tasks/normalisation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "gcan/base/error.h"

namespace gcan::train {
namespace {

// A constant field has no deviation to divide by and is only centred.
double divisor(double deviation) { return deviation > 0 ? deviation : 1.0; }

}  // namespace

Normalisation::Normalisation(std::int64_t planes)
    : mean_(torch::zeros({planes, 1, 1})), scale_(torch::ones({planes, 1, 1})) {}

Normalisation Normalisation::of_fields(const std::vector<FieldPlanes>& fields,
                                       const std::vector<data::Moments>& planes) {
  Normalisation result(static_cast<std::int64_t>(planes.size()));
  for (const FieldPlanes& field : fields) {
    double squares = 0;
    for (std::int64_t i = 0; i < field.count; ++i) {
      const data::Moments& plane = planes[static_cast<std::size_t>(field.first + i)];
      const double size = field.count == 1 ? plane.std() : plane.rms();
      squares += size * size / static_cast<double>(field.count);
    }
    for (std::int64_t i = field.first; i < field.first + field.count; ++i) {
      result.scale_[i].fill_(divisor(std::sqrt(squares)));
    }
    if (field.count == 1) result.mean_[field.first].fill_(planes[static_cast<std::size_t>(field.first)].mean);
  }
  return result;
}

Normalisation Normalisation::of_points(const std::vector<FieldPlanes>& fields, const torch::Tensor& mean,
                                       const torch::Tensor& deviation) {
  Normalisation result(mean.size(0));
  result.mean_ = torch::zeros_like(mean, torch::kFloat32);
  result.scale_ = torch::ones_like(mean, torch::kFloat32);
  for (const FieldPlanes& field : fields) {
    if (field.count != 1) continue;
    result.mean_[field.first].copy_(mean[field.first]);
    const torch::Tensor size = deviation[field.first];
    result.scale_[field.first].copy_(torch::where(size > 0, size, torch::ones_like(size)));
  }
  return result;
}

void Normalisation::apply_(torch::Tensor& frames) const { frames.sub_(mean_).div_(scale_); }

torch::Tensor Normalisation::undo(const torch::Tensor& frames) const { return frames * scale_ + mean_; }

double Normalisation::scale_of(std::int64_t plane) const { return scale_[plane].mean().item<double>(); }

void Normalisation::restore(const NamedTensors& tensors) {
  Normalisation read(mean_.size(0));
  const auto fits = [&](const torch::Tensor& t) {
    return t.dim() == 3 && t.size(0) == mean_.size(0) && t.scalar_type() == torch::kFloat32;
  };
  for (const auto& [name, tensor] : tensors) {
    if ((name != "mean" && name != "scale") || !fits(tensor)) {
      throw Error(
          fmt::format("the run's normalisation has '{}' of shape ({}), but the data has {} planes; it "
                      "belongs to other data",
                      name, fmt::join(tensor.sizes(), ", "), mean_.size(0)));
    }
    (name == "mean" ? read.mean_ : read.scale_) = tensor;
  }
  *this = read;
}

}  // namespace gcan::train
