#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "gcan/sim/tetris/normals.h"

namespace gcan::sim::tetris {
namespace tetris_normals_test {

std::vector<double> normals(std::size_t count, std::uint64_t seed = 1, std::uint64_t stream = 2) {
  std::vector<double> result(count);
  fill_normals(seed, stream, result);
  return result;
}

double mean(const std::vector<double>& values, auto function) {
  double sum = 0;
  for (const double value : values) sum += function(value);
  return sum / static_cast<double>(values.size());
}

TEST(TetrisNormals, HaveTheMomentsOfTheNormalDistribution) {
  const auto z = normals(1'000'000);
  // Five standard deviations of each mean.
  EXPECT_NEAR(mean(z, [](double x) { return x; }), 0, 5e-3);
  EXPECT_NEAR(mean(z, [](double x) { return x * x; }), 1, 5e-3 * std::numbers::sqrt2);
  EXPECT_NEAR(mean(z, [](double x) { return x * x * x; }), 0, 5e-3 * std::sqrt(15.0));
  EXPECT_NEAR(mean(z, [](double x) { return x * x * x * x; }), 3, 5e-3 * std::sqrt(96.0));
}

// Kolmogorov's distance to the distribution function; 1.95 / sqrt(n) is exceeded once in a thousand.
TEST(TetrisNormals, HaveTheNormalDistribution) {
  auto z = normals(200'000);
  std::sort(z.begin(), z.end());
  double distance = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double cdf = 0.5 * std::erfc(-z[i] / std::numbers::sqrt2);
    distance = std::max(distance, std::abs(cdf - (static_cast<double>(i) + 0.5) / 2e5));
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(2e5));
}

TEST(TetrisNormals, NeighboursDoNotDependOnEachOther) {
  const auto z = normals(400'000);
  for (const std::size_t lag : {1, 2, 3, 4}) {
    double products = 0, squares = 0;
    for (std::size_t i = 0; i + lag < z.size(); ++i) {
      products += z[i] * z[i + lag];
      squares += (z[i] * z[i] - 1) * (z[i + lag] * z[i + lag] - 1) / 2;
    }
    EXPECT_NEAR(products / 4e5, 0, 5 / std::sqrt(4e5)) << lag;
    EXPECT_NEAR(squares / 4e5, 0, 5 / std::sqrt(4e5)) << lag;
  }
}

TEST(TetrisNormals, TheFirstOnesAreTheSameHoweverManyAreAskedFor) {
  const auto all = normals(1000);
  for (const std::size_t count : {0, 1, 2, 3, 127, 128, 129, 207, 999}) {
    const auto some = normals(count);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << count;
  }
}

TEST(TetrisNormals, SeedsAndStreamsDiffer) {
  const auto one = normals(8, 1, 1);
  EXPECT_NE(one, normals(8, 2, 1));
  EXPECT_NE(one, normals(8, 1, 2));
  EXPECT_NE(one, normals(8, 1 + (std::uint64_t{1} << 32), 1));
  EXPECT_NE(one, normals(8, 1, 1 + (std::uint64_t{1} << 32)));
}

}  // namespace tetris_normals_test
}  // namespace gcan::sim::tetris
