#pragma once

#include <numbers>

namespace gcan::report {

inline constexpr double kPi = std::numbers::pi, kDegree = kPi / 180;

// The Equal Earth map (Savric, Patterson, Jenny 2018): areas are true, parallels straight, the poles lines.
// The pole lines leave room for the meridians' names, which oval maps do not.
struct MapPoint {
  double x, y;  // on a globe of radius 1
};
struct GeoPoint {
  double longitude, latitude;  // [rad]; longitude from the map's middle
};

MapPoint equal_earth(const GeoPoint& place);
GeoPoint from_equal_earth(const MapPoint& point);  // longitude beyond +-pi: outside of the map

}  // namespace gcan::report
