#include "gcan/sim/shallow_water/orography.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace gcan::sim::shallow_water {
namespace {

// Williamson et al. 1992, equation 134: a cone, not smoothed.
double mountain(double longitude, double latitude) {
  constexpr double kPi = std::numbers::pi;
  constexpr double kHeight = 2000;  // [m]
  constexpr double kRadius = kPi / 9;
  const double east = longitude - 1.5 * kPi;
  const double north = latitude - kPi / 6;
  return kHeight * (1 - std::min(kRadius, std::hypot(east, north)) / kRadius);
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
  return height;
}

}  // namespace gcan::sim::shallow_water
