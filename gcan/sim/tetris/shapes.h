#pragma once

#include <array>
#include <cstddef>

// gcan/sim/tetris: rigid bodies of four cubes that rotate and drift, the data of the paper's first
// experiment, and its metrics. Plain arrays; no torch, no files.
namespace gcan::sim::tetris {

inline constexpr std::size_t kObjects = 8;          // one of each shape
inline constexpr std::size_t kPointsPerObject = 4;  // centres of its cubes
inline constexpr std::size_t kPoints = kObjects * kPointsPerObject;

using Vector3 = std::array<double, 3>;

// Centres of the four cubes, of side 1, with their mean in the origin.
struct Shape {
  const char* name;
  std::array<Vector3, kPointsPerObject> points;
};

// The eight shapes of tensor field networks (Thomas et al. 2018) in their order. A scene has one object of
// each: object i is shape i, so that point 4 i + j is cube j of shape i.
const std::array<Shape, kObjects>& shapes();

}  // namespace gcan::sim::tetris
