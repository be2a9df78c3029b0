#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace gcan::sim {

// cos(pi numerator/denominator), the angle reduced in integers to the first octant and evaluated in long
// double: correctly rounded in practice, so tables and initial states are the same on every machine, and
// mirrored angles give exactly mirrored numbers.
inline double cos_pi(std::int64_t numerator, std::int64_t denominator) {
  std::int64_t n = numerator % (2 * denominator);
  if (n < 0) n += 2 * denominator;
  if (n > denominator) n = 2 * denominator - n;
  if (2 * n > denominator) return -cos_pi(denominator - n, denominator);
  const auto angle = [](std::int64_t a, std::int64_t b) {
    return std::numbers::pi_v<long double> * static_cast<long double>(a) / static_cast<long double>(b);
  };
  return static_cast<double>(4 * n <= denominator ? std::cos(angle(n, denominator))
                                                  : std::sin(angle(denominator - 2 * n, 2 * denominator)));
}

inline double sin_pi(std::int64_t numerator, std::int64_t denominator) {
  return cos_pi(denominator - 2 * numerator, 2 * denominator);
}

}  // namespace gcan::sim
