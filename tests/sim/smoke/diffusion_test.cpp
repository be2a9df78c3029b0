#include "gcan/sim/smoke/diffusion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gcan/sim/smoke/buoyancy.h"
#include "tests/sim/smoke/plain.h"

namespace gcan::sim::smoke {
namespace smoke_diffusion_test {

constexpr double kPi = std::numbers::pi;

TEST(SmokeDiffusion, IsThePointwiseScheme) {
  auto state = plain::random_state<double>(18, 1), expected = state;
  const auto old = state;
  diffuse(old.velocity_x, 0.2, state.velocity_x);
  diffuse(old.velocity_y, 0.2, state.velocity_y);
  plain::diffuse(expected, 0.2);
  EXPECT_LT(plain::largest_difference(state, expected), 1e-15);
}

// Sines that vanish in the layer of zeros are eigenvectors: each step multiplies them by
// 1 - 4 number (sin^2(pi k/(2 (rows-1))) + sin^2(pi l/(2 (columns-1)))), also at the limit of stability.
TEST(SmokeDiffusion, DampsGridWavesByTheirEigenvalue) {
  constexpr int rows = 17, columns = 22;
  for (const double number : {0.1, 0.25})
    for (const auto& [k, l] : {std::pair{1, 1}, {3, 7}, {rows - 2, columns - 2}}) {
      Field<double> wave(rows, columns), out(rows, columns);
      for (int i = 1; i + 1 < rows; ++i)
        for (int j = 1; j + 1 < columns; ++j)
          wave(i, j) = std::sin(kPi * k * i / (rows - 1)) * std::sin(kPi * l * j / (columns - 1));
      diffuse(wave, number, out);
      const double a = std::sin(kPi * k / (2 * (rows - 1))), b = std::sin(kPi * l / (2 * (columns - 1)));
      const double factor = 1 - 4 * number * (a * a + b * b);
      EXPECT_LE(std::abs(factor), 1);
      for (std::size_t i = 0; i < wave.values().size(); ++i)
        ASSERT_NEAR(out.values()[i], factor * wave.values()[i], 1e-14);
    }
}

TEST(SmokeBuoyancy, LiftsByTheMeanOfTheCellsBesideTheFace) {
  auto state = plain::random_state<double>(16, 1), expected = state;
  add_buoyancy(state, 0.75);
  plain::add_buoyancy(expected, 0.75);
  EXPECT_LT(plain::largest_difference(state, expected), 1e-15);
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(state.v(i, 0) == 0 && state.v(i, 16) == 0);
}

}  // namespace smoke_diffusion_test
}  // namespace gcan::sim::smoke
