// A user's first program, in both external projects.
#include <iostream>

#include "gcan/algebra/pga3d.h"
#include "gcan/algebra/text.h"
#include "gcan/kernels/simd_level.h"
#include "gcan/version.h"

int main() {
  const auto moved = gcan::pga3d::Motor<>::translation({1, 0, 0})(gcan::pga3d::Point<>(1, 2, 3));
  std::cout << "gcan " << gcan::version() << " found: " << gcan::to_string(moved) << " on "
            << gcan::kernels::simd_level() << '\n';
  return gcan::inverse(gcan::MultivectorX<double>(moved)).is_zero() ? 1 : 0;
}
