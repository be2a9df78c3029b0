#include "gcan/sim/shallow_water/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace gcan::sim::shallow_water {
namespace random_test {

TEST(Random, IsTheSameOnEveryMachine) {
  Random random(42, 7);
  const std::uint64_t expected[] = {0x5cee3fc34de8f153U, 0x4964181ea6eb9730U, 0x1c395320092fd07eU,
                                    0x2c5105f9e1387293U};
  for (const std::uint64_t word : expected) EXPECT_EQ(random.next(), word);
}

TEST(Random, StreamsDiffer) {
  std::set<std::uint64_t> words;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    for (std::uint64_t stream = 0; stream < 30; ++stream) words.insert(Random(seed, stream).next());
  EXPECT_EQ(words.size(), 900U);
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
}  // namespace gcan::sim::shallow_water
