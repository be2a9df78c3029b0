#include "gcan/sim/smoke/initial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "gcan/base/random.h"
#include "tests/sim/smoke/plain.h"

namespace gcan::sim::smoke {
namespace smoke_initial_test {

// The header's formula, summed over all wavenumbers at every point.
Field<double> summed_smoke(const Options& o, std::uint64_t trajectory) {
  const int n = o.cells;
  Field<double> noise(n, n);
  for (int nx = -n / 2; nx < n / 2; ++nx)
    for (int ny = -n / 2; ny < n / 2; ++ny) {
      const double kx = nx / o.length * o.noise_scale, ky = ny / o.length * o.noise_scale,
                   k2 = kx * kx + ky * ky;
      if (k2 <= 0.1) continue;
      const auto index = static_cast<std::uint32_t>((nx & 0xFFFF) << 16 | (ny & 0xFFFF));
      const auto [a, b] = base::normal_pair(o.seed, trajectory, index);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          noise(i, j) +=
              std::real(std::complex(a, b) * std::pow(k2, -o.noise_smoothness) *
                        std::polar(1.0, 2 * std::numbers::pi * (nx * (i + 0.5) + ny * (j + 0.5)) / n));
    }
  double mean = 0, square = 0;
  for (const double x : noise.values()) mean += x / (n * n);
  for (const double x : noise.values()) square += (x - mean) * (x - mean) / (n * n);
  for (double& x : noise.values()) x = std::abs((x - mean) / std::sqrt(square));
  return noise;
}

Options with(int cells, double length, int smoothness, std::uint64_t seed) {
  Options options;
  options.cells = cells, options.length = length, options.noise_smoothness = smoothness, options.seed = seed;
  return options;
}

// Steep and flat spectra, a band that begins at the first and at a higher wavenumber.
TEST(SmokeInitial, IsTheFormula) {
  for (const auto& options : {with(16, 4, 6, 1), with(24, 32, 6, 2), with(18, 32, 1, 3), with(16, 300, 0, 4),
                              with(24, 200, 6, 5)}) {
    Field<double> smoke(options.cells, options.cells);
    random_smoke(options, 9, smoke);
    EXPECT_LT(plain::largest_difference(smoke, summed_smoke(options, 9)), 1e-11) << options.length;
  }
}

TEST(SmokeInitial, HasUnitMeanSquareAndIsNotNegative) {
  const Options options;
  Field<double> smoke(128, 128);
  random_smoke(options, 0, smoke);
  double square = 0;
  for (const double s : smoke.values()) {
    EXPECT_GE(s, 0);
    square += s * s / (128 * 128);
  }
  EXPECT_NEAR(square, 1, 1e-12);
}

TEST(SmokeInitial, DependsOnSeedAndTrajectoryOnly) {
  Options options = Options::small();
  Field<double> first(64, 64), again(64, 64), other_trajectory(64, 64), other_seed(64, 64);
  random_smoke(options, 3, first);
  random_smoke(options, 4, other_trajectory);
  random_smoke(options, 3, again);
  options.seed = 1;
  random_smoke(options, 3, other_seed);
  EXPECT_TRUE(plain::identical(first, again));
  EXPECT_GT(plain::largest_difference(first, other_trajectory), 0.1);
  EXPECT_GT(plain::largest_difference(first, other_seed), 0.1);
}

// A coarse cell's centre is the corner of four fine cells; away from the kinks of the absolute value their
// mean differs by the curvature only.
TEST(SmokeInitial, IsTheSamePictureOnEveryGrid) {
  Field<double> coarse(64, 64), fine(128, 128);
  random_smoke(with(64, 32, 6, 1), 0, coarse);
  random_smoke(with(128, 32, 6, 1), 0, fine);
  double difference = 0;
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) {
      const double mean = (fine(2 * i, 2 * j) + fine(2 * i + 1, 2 * j) + fine(2 * i, 2 * j + 1) +
                           fine(2 * i + 1, 2 * j + 1)) /
                          4;
      difference = std::max(difference, std::abs(mean - coarse(i, j)));
    }
  EXPECT_LT(difference, 0.06);
}

TEST(SmokeInitial, FloatIsTheRoundedDouble) {
  Field<double> precise(64, 64);
  Field<float> rounded(64, 64);
  random_smoke(Options::small(), 2, precise);
  random_smoke(Options::small(), 2, rounded);
  for (std::size_t i = 0; i < 64 * 64; ++i)
    EXPECT_EQ(rounded.values()[i], static_cast<float>(precise.values()[i]));
}

}  // namespace smoke_initial_test
}  // namespace gcan::sim::smoke
