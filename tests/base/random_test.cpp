#include "gcan/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

namespace gcan::base {
namespace random_test {

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

TEST(Normals, HaveTheMomentsOfTheNormalDistribution) {
  const auto z = normals(1'000'000);
  // Five standard deviations of each mean.
  EXPECT_NEAR(mean(z, [](double x) { return x; }), 0, 5e-3);
  EXPECT_NEAR(mean(z, [](double x) { return x * x; }), 1, 5e-3 * std::numbers::sqrt2);
  EXPECT_NEAR(mean(z, [](double x) { return x * x * x; }), 0, 5e-3 * std::sqrt(15.0));
  EXPECT_NEAR(mean(z, [](double x) { return x * x * x * x; }), 3, 5e-3 * std::sqrt(96.0));
}

// Kolmogorov's distance to the distribution function; it exceeds 1.95 / sqrt(n) once in a thousand.
TEST(Normals, HaveTheNormalDistribution) {
  auto z = normals(200'000);
  std::sort(z.begin(), z.end());
  double distance = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double cdf = 0.5 * std::erfc(-z[i] / std::numbers::sqrt2);
    distance = std::max(distance, std::abs(cdf - (static_cast<double>(i) + 0.5) / 2e5));
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(2e5));
}

TEST(Normals, NeighboursDoNotDependOnEachOther) {
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

TEST(Normals, TheFirstOnesDoNotDependOnTheirNumber) {
  const auto all = normals(1000);
  for (const std::size_t count : {0, 1, 2, 3, 127, 128, 129, 207, 999}) {
    const auto some = normals(count);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << count;
  }
}

TEST(Normals, SeedsAndStreamsDiffer) {
  const auto one = normals(8, 1, 1);
  EXPECT_NE(one, normals(8, 2, 1));
  EXPECT_NE(one, normals(8, 1, 2));
  EXPECT_NE(one, normals(8, 1 + (std::uint64_t{1} << 32), 1));
  EXPECT_NE(one, normals(8, 1, 1 + (std::uint64_t{1} << 32)));
}

TEST(NormalPair, DependsOnSeedStreamAndIndex) {
  const auto pair = normal_pair(1, 2, 3);
  EXPECT_EQ(pair, normal_pair(1, 2, 3));
  for (const auto& other : {normal_pair(2, 2, 3), normal_pair(1, 3, 3), normal_pair(1, 2, 4),
                            normal_pair(1 + (1ull << 32), 2, 3), normal_pair(1, 2 + (1ull << 32), 3)})
    EXPECT_NE(pair, other);
}

// Computed independently in Python. A machine or compiler with other bits violates the header's guarantee.
TEST(NormalPair, GivesTheSameBitsEverywhere) {
  const auto [a, b] = normal_pair(1, 2, 3);
  EXPECT_EQ(a, -0x1.57ec72be94d7fp-4);
  EXPECT_EQ(b, -0x1.0dc8221bb13adp-1);
}

TEST(NormalPair, IsTheStartOfItsBlockOfNormals) {
  const auto z = normals(64, 5, 6);
  for (std::uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(normal_pair(5, 6, i), std::pair(z[4 * i], z[4 * i + 1])) << i;
}

TEST(Random, StreamsDiffer) {
  std::set<double> numbers;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    for (std::uint64_t stream = 0; stream < 30; ++stream) numbers.insert(Random(seed, stream).uniform());
  EXPECT_EQ(numbers.size(), 900U);
}

TEST(Random, HasTheMomentsOfItsDistributions) {
  Random random(1, 2);
  constexpr int kCount = 200000;
  double uniform = 0, normal = 0, square = 0, fourth = 0;
  for (int i = 0; i < kCount; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    uniform += u;
    const double x = random.normal();
    normal += x;
    square += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(uniform / kCount, 0.5, 4 * 0.2887 / std::sqrt(kCount));
  EXPECT_NEAR(normal / kCount, 0, 4 / std::sqrt(kCount));
  EXPECT_NEAR(square / kCount, 1, 4 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(fourth / kCount, 3, 4 * std::sqrt(96.0 / kCount));
}

TEST(Random, IntegersCoverTheirRangeEvenly) {
  Random random(3, 0);
  int counts[6] = {};
  for (int i = 0; i < 60000; ++i) {
    const int value = random.integer(-2, 3);
    ASSERT_GE(value, -2);
    ASSERT_LE(value, 3);
    ++counts[value + 2];
  }
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
}

}  // namespace random_test
}  // namespace gcan::base
