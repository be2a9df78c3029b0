#include "gcan/sim/shallow_water/initial_conditions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "gcan/sim/shallow_water/diagnostics.h"

namespace gcan::sim::shallow_water {
namespace initial_conditions_test {

Level<double> start_of(const Model<double>& model, std::uint64_t stream = 0) {
  base::Random random(model.options().seed, stream);
  return initial_level(model, random).level;
}

// Rate of change of divergence at the start relative to its largest single term: zero for balanced flow.
double imbalance(const Model<double>& model, const Level<double>& level) {
  State<double> state = model.start(level);
  model.evaluate(level, state);
  const Planet& planet = model.options().planet;
  double largest = 0;
  double scale = 0;
  for (int m = 0; m <= model.options().truncation; ++m) {
    for (int l = std::max(m, 1); l <= model.options().truncation; ++l) {
      const double laplace = -l * (l + 1.0) / (planet.radius * planet.radius);
      const auto curl = state.tendencies.vorticity_curl.get(model.layout(), l, m);
      const auto pressure = laplace * (state.tendencies.kinetic.get(model.layout(), l, m) +
                                       planet.gravity * level.eta.get(model.layout(), l, m));
      largest = std::max(largest, std::abs(curl - pressure));
      scale = std::max(scale, std::abs(curl));
    }
  }
  return largest / scale;
}

TEST(Williamson, StartsAreBalanced) {
  for (const int test : {2, 6}) {
    const Model<double> model(williamson_options(test));
    EXPECT_LT(imbalance(model, start_of(model)), 1e-11) << test;
  }
}

TEST(Galewsky, JetIsBalancedByItsSurface) {
  // Without the bump; at T62 the remainder is the truncation of a jet with sharp edges.
  double previous = 1;
  for (const int truncation : {62, 127}) {
    Options o = galewsky_options();
    set_truncation(o, truncation);
    o.jet.bump[0] = o.jet.bump[1] = 0;
    const Model<double> model(o);
    const double left = imbalance(model, start_of(model));
    EXPECT_LT(left, previous / 10);
    previous = left;
  }
}

TEST(Galewsky, JetHasItsSpeedAndItsVorticity) {
  const Jet jet = make_jet(80, 45);
  EXPECT_NEAR(jet.wind(std::numbers::pi / 4), 80, 1e-12);
  EXPECT_EQ(jet.wind(jet.south), 0);
  EXPECT_EQ(jet.wind(jet.north), 0);
  const double h = 1e-5;
  for (const double latitude : {0.5, 0.7, 0.9, 1.1}) {
    const double shear =
        (jet.wind(latitude + h) * std::cos(latitude + h) - jet.wind(latitude - h) * std::cos(latitude - h)) /
        (2 * h);
    EXPECT_NEAR(jet.vorticity(latitude, 1), -shear / std::cos(latitude), 1e-5 * 80);
  }
}

TEST(Galewsky, RandomParametersStayInTheirRanges) {
  Options o;
  o.initial = InitialCondition::kGalewsky;
  o.time_step = 900;
  const Model<double> model(o);
  for (std::uint64_t stream = 0; stream < 5; ++stream) {
    base::Random random(0, stream);
    const auto start = initial_level(model, random);
    ASSERT_EQ(start.parameters.size(), 4U);
    const double speed = start.parameters[0];
    EXPECT_GE(speed, o.jet.speed[0]);
    EXPECT_LT(speed, o.jet.speed[1]);
    const GridFields fields = model.on_grid(start.level);
    EXPECT_NEAR(*std::max_element(fields.u.begin(), fields.u.end()), speed, 0.05 * speed);
  }
}

TEST(RandomVorticity, HasTheWindAndTheBalanceItPromises) {
  Options o;
  o.initial = InitialCondition::kRandomVorticity;
  o.time_step = 900;
  const Model<double> model(o);
  const auto level = start_of(model);
  EXPECT_LT(imbalance(model, level), 1e-13);
  const GridFields fields = model.on_grid(level);
  std::vector<double> square(fields.u.size());
  for (std::size_t i = 0; i < square.size(); ++i)
    square[i] = fields.u[i] * fields.u[i] + fields.v[i] * fields.v[i];
  EXPECT_NEAR(std::sqrt(area_mean(model.transform().rule(), square)), o.random_wind, 1e-9);
}

TEST(Random2, FollowsItsRecipeByBruteForce) {
  const Options o = small_preset();
  const Model<double> model(o);
  base::Random random(o.seed, 3);
  const auto start = initial_level(model, random);
  ASSERT_EQ(start.parameters.size(), 4U);

  // The recipe with the same draws, wind profile by profile, then the list read with longitude fastest.
  base::Random again(o.seed, 3);
  const int offset = again.integer(80, 120);
  const int c1 = again.integer(-20, 30);
  const int c2 = again.integer(-20, 40);
  const int c3 = again.integer(-20, 40);
  EXPECT_EQ(start.parameters[0], offset);
  EXPECT_EQ(start.parameters[3], c3);
  const auto& sines = model.transform().rule().nodes;
  std::vector<double> wind(48 * 96);
  for (std::size_t i = 0; i < wind.size(); ++i) {
    const double sine = sines[i % 48];
    const double cosine = std::sqrt(1 - sine * sine);
    wind[i] = c1 * again.uniform() * cosine - c2 * cosine * cosine + c3 * sine * cosine + offset;
  }
  // -cos(lat)/R d/dlat of the truncated wind on the grid, the derivative of the Legendre functions by
  // differences.
  auto spectral = model.transform().to_spectral(wind);
  std::vector<double> expected(wind.size());
  const long double h = 1e-5L;
  for (std::size_t row = 0; row < 48; ++row) {
    const long double latitude = std::asin(static_cast<long double>(sines[row]));
    for (int m = 0; m <= 31; ++m) {
      const auto north = associated_legendre(m, 31, std::sin(latitude + h));
      const auto south = associated_legendre(m, 31, std::sin(latitude - h));
      std::complex<double> sum = 0;
      for (int l = m; l <= 31; ++l) {
        const auto at = static_cast<std::size_t>(l - m);
        sum += static_cast<double>((north[at] - south[at]) / (2 * h)) * spectral.get(model.layout(), l, m);
      }
      const double factor = -(m == 0 ? 1 : 2) * std::sqrt(1 - sines[row] * sines[row]) / o.planet.radius;
      for (std::size_t i = 0; i < 96; ++i)
        expected[row * 96 + i] +=
            factor * (sum * std::polar(1.0, 2 * std::numbers::pi * m * static_cast<double>(i) / 96)).real();
    }
  }
  // Except for the wave (order 6) and the noise (degree 14) this is the whole field.
  const auto projected = model.transform().to_spectral(expected);
  double error = 0;
  double scale = 0;
  for (int m = 0; m <= 31; ++m) {
    for (int l = std::max(m, 1); l <= 31; ++l) {
      if (m == 6 || l == 14) continue;
      error = std::max(error, std::abs(start.level.vorticity.get(model.layout(), l, m) -
                                       projected.get(model.layout(), l, m)));
      scale = std::max(scale, std::abs(projected.get(model.layout(), l, m)));
    }
  }
  EXPECT_LT(error, 1e-7 * scale);
  // The wave 5e-5 cos(6 lon) cos(lat) exp(-((lat - 45)/10)^2) is what order 6 has beyond that; the noise is
  // small.
  auto difference = start.level.vorticity.get(model.layout(), 10, 6) - projected.get(model.layout(), 10, 6);
  double wave = 0;
  for (std::size_t row = 0; row < 48; ++row) {
    const double latitude = std::asin(sines[row]);
    const double distance = (latitude * 180 / std::numbers::pi - 45) / 10;
    wave += model.transform().rule().weights[row] * std::numbers::pi * 5e-5 * std::cos(latitude) *
            std::exp(-distance * distance) *
            static_cast<double>(associated_legendre(6, 10, sines[row]).back());
  }
  EXPECT_NEAR(difference.real(), wave, 1e-7 * scale);
  for (int m = 0; m < 14; ++m) {
    difference = start.level.vorticity.get(model.layout(), 14, m) - projected.get(model.layout(), 14, m);
    EXPECT_GT(std::abs(difference), 1e-9);
    EXPECT_LT(std::abs(difference), 5e-5);
  }
  EXPECT_EQ(start.level.vorticity.get(model.layout(), 0, 0), 0.0);
}

TEST(Random2, HasNoDivergenceAndAFlatSurface) {
  const Model<double> model(small_preset());
  const auto level = start_of(model);
  for (const double value : level.divergence.values()) EXPECT_EQ(value, 0);
  for (const double value : level.eta.values()) EXPECT_EQ(value, 0);
}

}  // namespace initial_conditions_test
}  // namespace gcan::sim::shallow_water
