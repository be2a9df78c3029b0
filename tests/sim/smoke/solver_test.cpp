#include "gcan/sim/smoke/solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "gcan/sim/smoke/initial.h"
#include "tests/runner/every_target.h"
#include "tests/sim/smoke/plain.h"

namespace gcan::sim::smoke {
namespace smoke_solver_test {

template <class Real>
State<Real> start(const Options& options, std::uint64_t trajectory = 0) {
  State<Real> state(options.cells);
  random_smoke(options, trajectory, state.smoke);
  return state;
}

template <class Real>
double largest_speed(const State<Real>& state) {
  return std::max(plain::largest(state.velocity_x), plain::largest(state.velocity_y));
}

Options tiny(Advection scheme) {
  Options options;
  options.cells = 16, options.length = 4, options.advection = scheme;
  return options;
}

class SmokeScheme : public testing::TestWithParam<Advection> {};
INSTANTIATE_TEST_SUITE_P(Both, SmokeScheme,
                         testing::Values(Advection::semi_lagrangian, Advection::mac_cormack),
                         [](const auto& p) {
                           return p.param == Advection::mac_cormack ? "MacCormack" : "SemiLagrangian";
                         });

// Five whole steps against the point-by-point scheme with the dense pressure solve.
TEST_P(SmokeScheme, IsThePointwiseScheme) {
  const Options options = tiny(GetParam());
  Solver<double> solver(options);
  auto state = start<double>(options), expected = state;
  for (int step = 0; step < 5; ++step) {
    solver.step(state);
    expected = GetParam() == Advection::mac_cormack ? plain::mac_cormack(expected, 6)
                                                    : plain::advected(expected, expected, 6);
    plain::add_buoyancy(expected, 0.75);
    plain::diffuse(expected, 0.24);
    plain::project(expected);
    ASSERT_LT(plain::largest_difference(state, expected), 1e-11) << step;
  }
  EXPECT_GT(largest_speed(state), 0.1);
}

TEST_P(SmokeScheme, DiffusionSubstepsAreThatManySmallerSteps) {
  Options options = tiny(GetParam());
  options.viscosity = 0.03, options.diffusion_substeps = 3;
  Solver<double> solver(options);
  auto state = start<double>(options), expected = state;
  solver.step(state);
  plain::add_buoyancy(expected, 0.75);  // nothing moves in the first step
  for (int i = 0; i < 3; ++i) plain::diffuse(expected, 0.24);
  plain::project(expected);
  EXPECT_LT(plain::largest_difference(state, expected), 1e-12);
}

TEST_P(SmokeScheme, NeverHasDivergenceAndKeepsSmokeInItsBounds) {
  Options options = Options::small();
  options.advection = GetParam();
  Solver<double> solver(options);
  auto state = start<double>(options);
  const auto [low, high] = std::ranges::minmax(state.smoke.values());
  Field<double> divergence(options.cells, options.cells);
  for (int step = 0; step < 64; ++step) {
    solver.step(state);
    outflow(state, divergence);
    // Rounding of the buoyancy that pressure balances, 0.75 times the smoke, summed over a column.
    ASSERT_LT(plain::largest(divergence), 200 * std::numeric_limits<double>::epsilon() * high) << step;
    for (const double s : state.smoke.values()) {
      ASSERT_GE(s, low - 1e-14);
      ASSERT_GE(s, 0);
      ASSERT_LE(s, high + 1e-14);
    }
  }
  EXPECT_GT(largest_speed(state), 0.1);
}

// Uniform smoke lifts every face equally, which a pressure linear in y balances.
TEST_P(SmokeScheme, UniformSmokeAtRestStaysWithoutViscosity) {
  Options options = Options::small();
  options.advection = GetParam(), options.viscosity = 0;
  Solver<double> solver(options);
  State<double> state(options.cells);
  std::ranges::fill(state.smoke.values(), 0.7);
  for (int step = 0; step < 10; ++step) solver.step(state);
  EXPECT_LT(largest_speed(state), 1e-13);
  for (const double s : state.smoke.values()) EXPECT_EQ(s, 0.7);
}

// With viscosity buoyancy causes friction at the walls before pressure balances it: an error of the
// splitting, also in the original. Smoke still stays uniform; without buoyancy nothing moves.
TEST_P(SmokeScheme, UniformSmokeStaysUniformWithViscosity) {
  Options options = Options::small();
  options.advection = GetParam();
  Solver<double> solver(options);
  State<double> state(options.cells);
  std::ranges::fill(state.smoke.values(), 0.7);
  solver.step(state);
  const double push = options.time_step * options.buoyancy * 0.7;
  EXPECT_GT(largest_speed(state), 0.01 * push);
  EXPECT_LT(largest_speed(state), 0.24 * push);
  for (int step = 0; step < 10; ++step) solver.step(state);
  for (const double s : state.smoke.values()) EXPECT_EQ(s, 0.7);

  options.buoyancy = 0;
  Solver<double> still(options);
  State<double> rest(options.cells);
  random_smoke(options, 0, rest.smoke);
  const auto before = rest;
  for (int step = 0; step < 10; ++step) still.step(rest);
  EXPECT_TRUE(plain::identical(rest, before));
}

// Not conserved, because look-ups are not fluxes; solver.h states how much is lost or gained.
TEST_P(SmokeScheme, TotalSmokeDrifts) {
  Options options;
  options.advection = GetParam();
  Solver<double> solver(options);
  double worst = 0;
  for (std::uint64_t trajectory = 0; trajectory < 4; ++trajectory) {
    auto state = start<double>(options, trajectory);
    const auto total = [&] { return std::reduce(state.smoke.values().begin(), state.smoke.values().end()); };
    const double before = total();
    for (int step = 0; step < 64; ++step) solver.step(state);
    std::printf("trajectory %d: total smoke changes by %+.4f\n", static_cast<int>(trajectory),
                total() / before - 1);
    worst = std::max(worst, std::abs(total() / before - 1));
  }
  EXPECT_GT(worst, 1e-6);
  EXPECT_LT(worst, 0.3);
}

TEST_P(SmokeScheme, FloatFollowsDouble) {
  Options options = Options::small();
  options.advection = GetParam();
  Solver<double> precise(options);
  Solver<float> rough(options);
  auto a = start<double>(options);
  auto b = start<float>(options);
  for (int step = 0; step < 8; ++step) {
    precise.step(a);
    rough.step(b);
  }
  double square = 0;
  for (std::size_t i = 0; i < a.smoke.values().size(); ++i)
    square += std::pow(a.smoke.values()[i] - b.smoke.values()[i], 2) / (64 * 64);
  // MacCormack's limits jump where a look-up crosses a grid line, which amplifies rounding.
  EXPECT_LT(std::sqrt(square), GetParam() == Advection::mac_cormack ? 5e-3 : 1e-5);
  EXPECT_GT(std::sqrt(square), 0);
}

TEST_P(SmokeScheme, EveryInstructionSetGivesTheSameBits) {
  Options options;
  options.cells = 50, options.length = 12.5, options.advection = GetParam();
  std::vector<State<double>> ends;
  test::on_every_target([&] {
    Solver<double> solver(options);
    ends.push_back(start<double>(options));
    for (int step = 0; step < 30; ++step) solver.step(ends.back());
  });
  for (const auto& end : ends) EXPECT_TRUE(plain::identical(end, ends.front()));
}

// Powers of two and not, large prime factors; cells of the paper's size. Rounding acts on the pressure that
// carries a column of n cells.
TEST(SmokeSolver, RunsOnEveryAllowedKindOfGrid) {
  for (const int n : {16, 32, 46, 100, 254, 512, 1024}) {
    Options options;
    options.cells = n, options.length = 0.25 * n, options.noise_scale = 11.0 / 128 * n;
    Solver<double> solver(options);
    auto state = start<double>(options);
    for (int step = 0; step < 2; ++step) solver.step(state);
    Field<double> divergence(n, n);
    outflow(state, divergence);
    EXPECT_LT(plain::largest(divergence), 60 * std::numeric_limits<double>::epsilon() * n) << n;
    EXPECT_GT(largest_speed(state), 0.01) << n;
  }
}

TEST(SmokeSolver, NonFiniteFieldsAreNamed) {
  const auto good = plain::random_state<double>(16, 1);
  EXPECT_EQ(non_finite_field(good), nullptr);
  for (const double bad : {double{NAN}, double{INFINITY}, -double{INFINITY}}) {
    auto state = good;
    state.v(15, 15) = bad;
    EXPECT_STREQ(non_finite_field(state), "velocity in y");
    state.u(1, 0) = bad;
    EXPECT_STREQ(non_finite_field(state), "velocity in x");
    state.smoke(15, 15) = bad;
    EXPECT_STREQ(non_finite_field(state), "smoke");
  }
  auto extreme = State<float>(16);
  extreme.smoke(0, 0) = std::numeric_limits<float>::max();
  extreme.u(1, 1) = std::numeric_limits<float>::lowest();
  extreme.v(1, 1) = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(non_finite_field(extreme), nullptr);
  extreme.smoke(0, 0) = NAN;
  EXPECT_STREQ(non_finite_field(extreme), "smoke");
}

}  // namespace smoke_solver_test
}  // namespace gcan::sim::smoke
