#include "gcan/report/equal_earth.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gcan::report {
namespace {

constexpr double kA1 = 1.340264, kA2 = -0.081106, kA3 = 0.000893, kA4 = 0.003796;
constexpr double kHalfRoot3 = std::numbers::sqrt3 / 2;

double height(double t) {
  const double s = t * t;
  return t * (kA1 + s * (kA2 + s * s * (kA3 + s * kA4)));
}

double slope(double t) {
  const double s = t * t;
  return kA1 + s * (3 * kA2 + s * s * (7 * kA3 + s * 9 * kA4));
}

double width(double t) { return std::cos(t) / (kHalfRoot3 * slope(t)); }

}  // namespace

MapPoint equal_earth(const GeoPoint& place) {
  const double t = std::asin(kHalfRoot3 * std::sin(place.latitude));
  return {place.longitude * width(t), height(t)};
}

GeoPoint from_equal_earth(const MapPoint& point) {
  double t = point.y / kA1;
  for (int i = 0; i < 8; ++i) t -= (height(t) - point.y) / slope(t);
  const double sine = std::clamp(std::sin(t) / kHalfRoot3, -1.0, 1.0);
  return {point.x / width(t), std::asin(sine)};
}

}  // namespace gcan::report
