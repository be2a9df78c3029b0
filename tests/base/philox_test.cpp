#include "gcan/base/philox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace gcan::base {
namespace philox_test {

// The known answers published with the generator (Random123, kat_vectors).
TEST(Philox, GivesThePublishedKnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PortableLog, AgreesWithLongDoubleLogarithm) {
  for (double x = 1e-300; x < 1e300; x *= 1.7371) {
    const double exact = static_cast<double>(std::log(static_cast<long double>(x)));
    EXPECT_NEAR(portable_log(x), exact, 5e-16 * std::abs(exact)) << x;
  }
  for (double x = 0.5; x < 2; x += 0.00137) {
    const double exact = static_cast<double>(std::log(static_cast<long double>(x)));
    EXPECT_NEAR(portable_log(x), exact, 5e-16 * std::max(std::abs(exact), 1e-3)) << x;
  }
  EXPECT_EQ(portable_log(1), 0);
}

TEST(NormalPair, IsStandardNormal) {
  constexpr int kCount = 100'000;
  std::vector<double> values;
  double product = 0;
  for (std::uint32_t i = 0; i < kCount / 2; ++i) {
    const auto [a, b] = normal_pair(5, 3, i);
    values.insert(values.end(), {a, b});
    product += a * b;
  }
  // Kolmogorov-Smirnov distance from the normal distribution: above 1.95/sqrt(n) in one of 1000 cases.
  std::ranges::sort(values);
  double distance = 0;
  for (int i = 0; i < kCount; ++i) {
    const double expected = 0.5 * std::erfc(-values[static_cast<std::size_t>(i)] / std::sqrt(2.0));
    distance = std::max(distance, std::abs(expected - (i + 0.5) / kCount));
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(kCount));
  EXPECT_LT(std::abs(product / (kCount / 2)), 4 / std::sqrt(kCount / 2.0));
}

TEST(NormalPair, DependsOnSeedStreamAndIndex) {
  const auto pair = normal_pair(1, 2, 3);
  EXPECT_EQ(pair, normal_pair(1, 2, 3));
  for (const auto& other : {normal_pair(2, 2, 3), normal_pair(1, 3, 3), normal_pair(1, 2, 4),
                            normal_pair(1 + (1ull << 32), 2, 3), normal_pair(1, 2 + (1ull << 32), 3)})
    EXPECT_NE(pair, other);
}

// From a separate evaluation in Python: a machine or compiler that gives other bits breaks the promise of
// the header.
TEST(NormalPair, GivesTheSameBitsEverywhere) {
  const auto [a, b] = normal_pair(1, 2, 3);
  EXPECT_EQ(a, -0x1.388e508ab8d2dp+0);
  EXPECT_EQ(b, -0x1.b8b46b3dc6b61p+0);
}

}  // namespace philox_test
}  // namespace gcan::base
