#pragma once

#include <numbers>

namespace gcan::report {

inline constexpr double kPi = std::numbers::pi, kDegree = kPi / 180;

// The Equal Earth projection (Savric, Patterson, Jenny 2018): equal-area, with straight parallels and lines
// for the poles, which leaves room for labels of the meridians.
struct MapPoint {
  double x, y;  // on a globe of radius 1
};
struct GeoPoint {
  double longitude, latitude;  // [rad]; longitude relative to the map's centre
};

MapPoint equal_earth(const GeoPoint& place);
GeoPoint from_equal_earth(const MapPoint& point);  // longitude beyond +-pi: outside the map

}  // namespace gcan::report
