#include "gcan/sim/tetris/shapes.h"

namespace gcan::sim::tetris {
namespace {

constexpr std::array<Shape, kObjects> kCorners{{
    {"chiral1", {{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 1, 0}}}},
    {"chiral2", {{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, -1, 0}}}},
    {"square", {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}},
    {"line", {{{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 0, 3}}}},
    {"corner", {{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}}}},
    {"L", {{{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 1, 0}}}},
    {"T", {{{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 1, 1}}}},
    {"zigzag", {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {2, 1, 0}}}},
}};

constexpr std::array<Shape, kObjects> centred() {
  auto result = kCorners;
  for (Shape& shape : result)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double mean = 0;
      for (const Vector3& point : shape.points) mean += point[axis] / kPointsPerObject;
      for (Vector3& point : shape.points) point[axis] -= mean;
    }
  return result;
}

}  // namespace

const std::array<Shape, kObjects>& shapes() {
  static constexpr auto kCentred = centred();
  return kCentred;
}

}  // namespace gcan::sim::tetris
