#include "gcan/sim/smoke/pressure.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/sim/smoke/plain.h"

namespace gcan::sim::smoke {
namespace smoke_pressure_test {

TEST(SmokePressure, SolvesWhatADenseSolverSolves) {
  for (const int n : {8, 16, 18, 22}) {
    Field<double> field = plain::random_state<double>(n, 0).smoke;  // its mean is not zero
    const auto expected = plain::dense_pressure(field);
    PressureSolver<double>(n).solve(field);
    const double shift = field(n - 1, n - 1) - expected.back();
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(field.values()[i] - shift, expected[i], 1e-12) << n << " cells, number " << i;
  }
}

template <class Real>
class SmokeProjection : public testing::Test {
 protected:
  static double largest_outflow(const State<Real>& state) {
    Field<Real> field(state.cells, state.cells);
    outflow(state, field);
    return plain::largest(field);
  }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(SmokeProjection, Reals);

// Of speeds up to 1. The pressure that white noise needs grows like the logarithm of n; rounding acts on it.
TYPED_TEST(SmokeProjection, LeavesNoOutflow) {
  for (const int n : {16, 34, 64, 100, 128, 254, 256}) {
    auto state = plain::random_state<TypeParam>(n, 1);
    ASSERT_GT(this->largest_outflow(state), 0.5);
    PressureSolver<TypeParam>(n).project(state);
    EXPECT_LT(this->largest_outflow(state), 100 * std::numeric_limits<TypeParam>::epsilon()) << n;
  }
}

TYPED_TEST(SmokeProjection, LeavesWallsAtRest) {
  auto state = plain::random_state<TypeParam>(32, 1);
  PressureSolver<TypeParam>(32).project(state);
  for (int j = 0; j < 32; ++j)
    for (const int wall : {0, 32}) {
      EXPECT_EQ(state.u(wall, j), 0);
      EXPECT_EQ(state.v(j, wall), 0);
    }
}

// A projection leaves what is already projected, takes gradients away whole, and so cannot add energy.
TYPED_TEST(SmokeProjection, IsAProjection) {
  constexpr int n = 48;
  const auto tolerance = 200 * std::numeric_limits<TypeParam>::epsilon();
  PressureSolver<TypeParam> solver(n);
  auto once = plain::random_state<TypeParam>(n, 1);
  solver.project(once);
  auto twice = once;
  solver.project(twice);
  EXPECT_LT(plain::largest_difference(once, twice), tolerance);

  const auto potential = plain::random_state<TypeParam>(n, 0).smoke;
  State<TypeParam> gradient(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i > 0) gradient.u(i, j) = potential(i, j) - potential(i - 1, j);
      if (j > 0) gradient.v(i, j) = potential(i, j) - potential(i, j - 1);
    }
  solver.project(gradient);
  EXPECT_LT(std::max(plain::largest(gradient.velocity_x), plain::largest(gradient.velocity_y)), tolerance);
}

TEST(SmokeProjectionOfDouble, AgreesWithTheDenseOne) {
  for (const int n : {16, 20}) {
    auto state = plain::random_state<double>(n, 3), expected = state;
    PressureSolver<double>(n).project(state);
    plain::project(expected);
    EXPECT_LT(plain::largest_difference(state, expected), 1e-13) << n;
  }
}

}  // namespace smoke_pressure_test
}  // namespace gcan::sim::smoke
