#include "gcan/sim/smoke/advection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/runner/every_target.h"
#include "tests/sim/smoke/plain.h"

namespace gcan::sim::smoke {
namespace smoke_advection_test {

template <class Real>
State<Real> moved_by(Advection scheme, const State<Real>& old, Real reach) {
  State<Real> scratch(old.cells), moved(old.cells);
  advect(scheme, old, reach, scratch, moved);
  return moved;
}

// Displacements below a cell, of some cells, and far out of the box; widths that fill no vector.
TEST(SmokeAdvection, SemiLagrangianIsThePointwiseScheme) {
  for (const int n : {16, 18, 34})
    for (const double speed : {0.1, 3.0, 1000.0}) {
      const auto old = plain::random_state<double>(n, speed);
      const auto moved = moved_by(Advection::semi_lagrangian, old, 0.7);
      EXPECT_LT(plain::largest_difference(moved, plain::advected(old, old, 0.7)), 1e-14 * (n + speed * n))
          << n;
    }
}

TEST(SmokeAdvection, MacCormackIsThePointwiseScheme) {
  for (const int n : {16, 18, 34})
    for (const double speed : {0.1, 3.0, 1000.0}) {
      const auto old = plain::random_state<double>(n, speed);
      const auto moved = moved_by(Advection::mac_cormack, old, 0.7);
      EXPECT_LT(plain::largest_difference(moved, plain::mac_cormack(old, 0.7)), 1e-14 * (n + speed * n)) << n;
    }
}

// A displacement by whole cells shifts; nothing is interpolated and the edge is repeated.
TEST(SmokeAdvection, WholeCellsAreShiftedExactly) {
  State<double> old = plain::random_state<double>(16, 0);
  for (int i = 1; i < 16; ++i)
    for (int j = 0; j < 16; ++j) old.u(i, j) = 2;
  const auto moved = moved_by(Advection::semi_lagrangian, old, 1.0);
  for (int i = 1; i < 15; ++i)
    for (int j = 0; j < 16; ++j)
      EXPECT_EQ(moved.smoke(i, j), old.smoke(std::max(i - 2, 0), j)) << i << ' ' << j;
}

template <class Real>
class SmokeAdvectionOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(SmokeAdvectionOf, Reals);

TYPED_TEST(SmokeAdvectionOf, EveryInstructionSetGivesTheSameBits) {
  for (const Advection scheme : {Advection::semi_lagrangian, Advection::mac_cormack}) {
    const auto old = plain::random_state<TypeParam>(38, 5);
    const auto expected = moved_by(scheme, old, TypeParam(0.6));
    int sets = 0;
    test::on_every_target([&] {
      EXPECT_TRUE(plain::identical(moved_by(scheme, old, TypeParam(0.6)), expected));
      ++sets;
    });
    EXPECT_GE(sets, 1);
  }
}

TYPED_TEST(SmokeAdvectionOf, FloatAndDoubleAgree) {
  const auto old = plain::random_state<double>(64, 2);
  State<TypeParam> same(64);
  std::ranges::transform(old.smoke.values(), same.smoke.values().begin(),
                         [](double x) { return static_cast<TypeParam>(x); });
  std::ranges::transform(old.velocity_x.values(), same.velocity_x.values().begin(),
                         [](double x) { return static_cast<TypeParam>(x); });
  std::ranges::transform(old.velocity_y.values(), same.velocity_y.values().begin(),
                         [](double x) { return static_cast<TypeParam>(x); });
  const auto moved = moved_by(Advection::semi_lagrangian, same, TypeParam(1.5));
  const auto expected = plain::advected(old, old, 1.5);
  double error = 0;
  for (std::size_t i = 0; i < 64 * 64; ++i)
    error = std::max(error, std::abs(moved.smoke.values()[i] - expected.smoke.values()[i]));
  EXPECT_LT(error, 200 * std::numeric_limits<TypeParam>::epsilon());
}

TYPED_TEST(SmokeAdvectionOf, KeepsBoundsAndUniformFields) {
  for (const Advection scheme : {Advection::semi_lagrangian, Advection::mac_cormack}) {
    auto state = plain::random_state<TypeParam>(32, 3);
    const auto [low, high] = std::ranges::minmax(state.smoke.values());
    const auto moved = moved_by(scheme, state, TypeParam(1));
    for (const TypeParam s : moved.smoke.values()) {
      EXPECT_GE(s, low * (1 - 4 * std::numeric_limits<TypeParam>::epsilon()));
      EXPECT_LE(s, high * (1 + 4 * std::numeric_limits<TypeParam>::epsilon()));
    }
    std::ranges::fill(state.smoke.values(), TypeParam(0.3));
    const auto uniform = moved_by(scheme, state, TypeParam(1));
    for (const TypeParam s : uniform.smoke.values()) EXPECT_EQ(s, TypeParam(0.3));
  }
}

// A look-up index made from NaN or infinity must stay inside the array (run with the address sanitizer).
TYPED_TEST(SmokeAdvectionOf, NonFiniteVelocityStaysInsideTheArrays) {
  for (const TypeParam bad :
       {std::numeric_limits<TypeParam>::quiet_NaN(), std::numeric_limits<TypeParam>::infinity(),
        -std::numeric_limits<TypeParam>::infinity(), std::numeric_limits<TypeParam>::max()}) {
    auto state = plain::random_state<TypeParam>(16, 1);
    state.u(5, 5) = state.v(7, 7) = bad;
    state.v(7, 8) = -bad;
    test::on_every_target([&] {
      const auto moved = moved_by(Advection::semi_lagrangian, state, TypeParam(1));
      for (const TypeParam s : moved.smoke.values()) ASSERT_TRUE(s >= 0 && s < 1);
    });
  }
}

}  // namespace smoke_advection_test
}  // namespace gcan::sim::smoke
