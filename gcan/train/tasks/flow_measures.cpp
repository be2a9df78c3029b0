#include "gcan/train/tasks/flow_measures.h"

#include <numbers>

namespace gcan::train {
namespace {

torch::Tensor doubles(const std::vector<double>& values) { return torch::tensor(values, torch::kFloat64); }

std::int64_t rows(const data::Description& d) { return static_cast<std::int64_t>(d.space[0].values.size()); }
std::int64_t columns(const data::Description& d) {
  return static_cast<std::int64_t>(d.space[1].values.size());
}

// The area fraction of a point in each row; equal for all if the file has none.
torch::Tensor areas(const data::Description& d) {
  torch::Tensor area = d.area.empty() ? torch::ones({rows(d)}, torch::kFloat64) : doubles(d.area);
  area = area / (area.sum() * static_cast<double>(columns(d)));
  return area.unsqueeze(1);
}

}  // namespace

FlowMeasures::FlowMeasures(const data::Description& description, const std::vector<FieldPlanes>& fields)
    : sphere_(description.grid_type == "spherical"), area_(areas(description)) {
  for (const FieldPlanes& field : fields) {
    auto& first = field.count == 1 ? scalar_ : vector_;
    if (!first) first = field.first;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    at_[i] = doubles(description.space[i].values);
    if (sphere_ && description.space[i].unit.starts_with("degree")) at_[i] *= std::numbers::pi / 180;
    periodic_[i] = description.space[i].boundary == "PERIODIC";
  }
  if (sphere_) cosine_ = at_[0].cos().unsqueeze(1);
}

torch::Tensor FlowMeasures::area_mean(const torch::Tensor& plane) const {
  return (plane.to(torch::kFloat64) * area_).sum({-2, -1});
}

torch::Tensor FlowMeasures::mass(const torch::Tensor& frames) const {
  return area_mean(frames.select(-3, *scalar_));
}

// Central differences, one-sided at the edges.
torch::Tensor FlowMeasures::slope(const torch::Tensor& plane, std::int64_t axis) const {
  const std::int64_t dim = axis - 2, count = plane.size(dim);
  const torch::Tensor at = axis == 0 ? at_[0].unsqueeze(1) : at_[1].unsqueeze(0);
  if (periodic_[axis]) {
    const torch::Tensor step = (at_[axis][count - 1] - at_[axis][0]) / static_cast<double>(count - 1);
    return (plane.roll(-1, dim) - plane.roll(1, dim)) / (2 * step);
  }
  const torch::Tensor index = torch::arange(count);
  const torch::Tensor next = (index + 1).clamp_max(count - 1), before = (index - 1).clamp_min(0);
  return (plane.index_select(dim, next) - plane.index_select(dim, before)) /
         (at.index_select(dim, next) - at.index_select(dim, before));
}

torch::Tensor FlowMeasures::vorticity(const torch::Tensor& frames) const {
  const torch::Tensor first = frames.select(-3, *vector_).to(torch::kFloat64);
  const torch::Tensor second = frames.select(-3, *vector_ + 1).to(torch::kFloat64);
  // On the sphere rows are latitudes and components point east and north; in a box both follow x, y.
  if (sphere_) return (slope(second, 1) - slope(first * cosine_, 0)) / cosine_;
  return slope(second, 0) - slope(first, 1);
}

torch::Tensor FlowMeasures::enstrophy(const torch::Tensor& frames) const {
  return area_mean(vorticity(frames).square()) / 2;
}

// (..., 1 or 2, H, W)
torch::Tensor FlowMeasures::spectral_planes(const torch::Tensor& frames) const {
  return vector_ ? frames.narrow(-3, *vector_, 2) : frames.narrow(-3, *scalar_, 1);
}

torch::Tensor FlowMeasures::spectrum(const torch::Tensor& frames) const {
  const torch::Tensor planes = spectral_planes(frames).to(torch::kFloat64);
  const std::int64_t height = planes.size(-2), width = planes.size(-1);
  if (sphere_) {
    torch::Tensor power = torch::fft::rfft(planes, c10::nullopt, -1, "forward").abs().square().sum(-3) / 2;
    // Waves other than the mean and the shortest appear twice, with their conjugates.
    power.narrow(-1, 1, (width - 1) / 2) *= 2;
    return (power * area_).sum(-2) * static_cast<double>(width);
  }
  const torch::Tensor power =
      torch::fft::fft2(planes, c10::nullopt, {-2, -1}, "forward").abs().square().sum(-3) / 2;
  const torch::Tensor y = torch::fft::fftfreq(height, 1.0 / static_cast<double>(height));
  const torch::Tensor x = torch::fft::fftfreq(width, 1.0 / static_cast<double>(width));
  const torch::Tensor shell =
      (y.square().unsqueeze(1) + x.square()).sqrt().round().to(torch::kInt64).flatten();
  const std::int64_t shells = std::min(height, width) / 2 + 1;
  std::vector<std::int64_t> shape = power.sizes().vec();
  shape.resize(shape.size() - 2);
  shape.push_back(shell.max().item<std::int64_t>() + 1);
  return torch::zeros(shape, torch::kFloat64).index_add(-1, shell, power.flatten(-2)).narrow(-1, 0, shells);
}

}  // namespace gcan::train
