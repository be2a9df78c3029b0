#pragma once

#include <array>
#include <span>

namespace gcan::report {

using Point3 = std::array<double, 3>;
using Rotation3 = std::array<Point3, 3>;  // rows

inline constexpr Rotation3 kUnturned{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

Point3 turned(const Rotation3& rotation, const Point3& point);

// The proper rotation that takes `rest` nearest to `points`, both around their means, in the sense of least
// squares (Davenport's q-method). What the points leave open, such as the turn of a line around itself, is as
// in `previous`. Error if the two differ in number.
Rotation3 fitted_rotation(std::span<const Point3> rest, std::span<const Point3> points,
                          const Rotation3& previous = kUnturned);

}  // namespace gcan::report
