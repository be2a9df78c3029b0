#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "gcan/sim/smoke/advection.h"
#include "tests/sim/smoke_plain.h"

namespace gcan::sim::smoke {
namespace {

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
    plain::for_each_instruction_set([&](const char* name) {
      EXPECT_TRUE(plain::identical(moved_by(scheme, old, TypeParam(0.6)), expected)) << name;
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
    plain::for_each_instruction_set([&](const char* name) {
      const auto moved = moved_by(Advection::semi_lagrangian, state, TypeParam(1));
      for (const TypeParam s : moved.smoke.values()) ASSERT_TRUE(s >= 0 && s < 1) << name;
    });
  }
}

// ---- Order of accuracy: smoke in a steady eddy, refined with the time step proportional to the cell.

constexpr double kPi = std::numbers::pi;

// Stream function sin(pi x) sin(pi y)/pi in the unit box; face velocities are its exact differences.
State<double> eddy(int n) {
  State<double> state(n);
  const auto psi = [n](int i, int j) { return std::sin(kPi * i / n) * std::sin(kPi * j / n) / kPi; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i > 0) state.u(i, j) = (psi(i, j + 1) - psi(i, j)) * n;
      if (j > 0) state.v(i, j) = -(psi(i + 1, j) - psi(i, j)) * n;
    }
  return state;
}

double blob(double x, double y) {
  const double dx = x - 0.5, dy = y - 0.3;
  return std::exp(-(dx * dx + dy * dy) / (2 * 0.12 * 0.12));
}

// The exact smoke: its start at the foot of the characteristic, followed back by Runge-Kutta steps.
double exact_smoke(double x, double y, double time) {
  const auto u = [](double a, double b) { return std::sin(kPi * a) * std::cos(kPi * b); };
  const auto v = [](double a, double b) { return -std::cos(kPi * a) * std::sin(kPi * b); };
  constexpr int kSteps = 20;
  const double h = -time / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const double ax = u(x, y), ay = v(x, y);
    const double bx = u(x + h / 2 * ax, y + h / 2 * ay), by = v(x + h / 2 * ax, y + h / 2 * ay);
    const double cx = u(x + h / 2 * bx, y + h / 2 * by), cy = v(x + h / 2 * bx, y + h / 2 * by);
    const double ex = u(x + h * cx, y + h * cy), ey = v(x + h * cx, y + h * cy);
    x += h / 6 * (ax + 2 * bx + 2 * cx + ex);
    y += h / 6 * (ay + 2 * by + 2 * cy + ey);
  }
  return blob(x, y);
}

// Mean absolute error at time 0.5 with a Courant number of 0.8.
double advection_error(Advection scheme, int n) {
  State<double> state = eddy(n), scratch(n), moved(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) state.smoke(i, j) = blob((i + 0.5) / n, (j + 0.5) / n);
  const double time = 0.5;
  const int steps = static_cast<int>(std::lround(time * n / 0.8));
  for (int step = 0; step < steps; ++step) {
    advect(scheme, state, time / steps * n, scratch, moved);
    std::swap(state.smoke, moved.smoke);  // the flow is held
  }
  double error = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      error += std::abs(state.smoke(i, j) - exact_smoke((i + 0.5) / n, (j + 0.5) / n, time)) / (n * n);
  return error;
}

double order(Advection scheme) {
  const double coarse = advection_error(scheme, 128), fine = advection_error(scheme, 256);
  std::printf("errors %.3e (128), %.3e (256), order %.3f\n", coarse, fine, std::log2(coarse / fine));
  return std::log2(coarse / fine);
}

TEST(SmokeAdvectionOrder, SemiLagrangianIsFirst) { EXPECT_NEAR(order(Advection::semi_lagrangian), 1, 0.15); }
TEST(SmokeAdvectionOrder, MacCormackIsSecond) { EXPECT_NEAR(order(Advection::mac_cormack), 2, 0.25); }

}  // namespace
}  // namespace gcan::sim::smoke
