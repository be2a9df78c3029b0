// Uses all parts of the algebra whose layout depends on the width of SIMD registers. simd_widths.cmake
// compiles it for each width and compares the symbols.

#include <cstddef>

#include "gcan/algebra.h"

namespace gcan {

using Points = MultivectorArray<KVector<Signature{3, 0, 1}, 3, float>>;

std::size_t points_at(const Points& points) { return points.blocks() + sizeof(Points); }

Points moved(const Points& points, const Points& by) {
  Points sum = array::map([](const auto& a, const auto& b) { return a + b; }, points, by);
  sum.set(0, points.get(0));
  array::map_into(
      sum, [](const auto& a) { return 2.0F * a; }, sum);
  return sum;
}

}  // namespace gcan
