#include "gcan/sim/shallow_water/orography.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "gcan/sim/shallow_water/transform.h"

namespace gcan::sim::shallow_water {
namespace {

// Williamson et al. 1992, equation 134: a cone.
double mountain(double longitude, double latitude) {
  constexpr double kPi = std::numbers::pi;
  constexpr double kHeight = 2000;  // [m]
  constexpr double kRadius = kPi / 9;
  const double east = longitude - 1.5 * kPi;
  const double north = latitude - kPi / 6;
  return kHeight * (1 - std::min(kRadius, std::hypot(east, north)) / kRadius);
}

// A field truncated to the model's degrees.
std::vector<double> truncated(const Options& options, const std::vector<double>& field) {
  const SphericalTransform<double> transform(options.truncation, options.latitudes, options.longitudes);
  SpectralField<double> spectral = transform.to_spectral(field);
  for (int m = 0; m <= options.truncation; ++m)
    spectral.set(transform.layout(), options.truncation + 1, m, 0);
  std::vector<double> result(field.size());
  transform.to_grid(spectral, result);
  return result;
}

}  // namespace

std::vector<double> orography_on_grid(const Options& options, const GaussLegendre& rule) {
  if (options.orography == Orography::kGiven) return options.orography_height;
  const auto longitudes = static_cast<std::size_t>(options.longitudes);
  std::vector<double> height(rule.nodes.size() * longitudes, 0.0);
  if (options.orography == Orography::kFlat) return height;
  for (std::size_t i = 0; i < height.size(); ++i) {
    const double longitude = 2 * std::numbers::pi * static_cast<double>(i % longitudes) / options.longitudes;
    height[i] = mountain(longitude, std::asin(rule.nodes[i / longitudes]));
  }
  return truncated(options, height);
}

}  // namespace gcan::sim::shallow_water
