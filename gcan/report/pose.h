#pragma once

#include <array>
#include <span>

namespace gcan::report {

using Point3 = std::array<double, 3>;
using Rotation3 = std::array<Point3, 3>;  // rows

inline constexpr Rotation3 kUnturned{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

Point3 turned(const Rotation3& rotation, const Point3& point);

// The rotation that maps `rest` to `points` with least squared error, both relative to their means
// (Davenport's q-method). Undetermined rotations, such as that of a line about itself, are as in `previous`.
// Error if the numbers of points differ.
Rotation3 fitted_rotation(std::span<const Point3> rest, std::span<const Point3> points,
                          const Rotation3& previous = kUnturned);

}  // namespace gcan::report
