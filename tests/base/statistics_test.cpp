#include "gcan/base/statistics.h"

#include <gtest/gtest.h>

#include <random>

namespace gcan::base {
namespace statistics_test {

TEST(Median, OfNothingIsZero) { EXPECT_EQ(median({}), 0); }

TEST(Median, IsTheMiddleOfTheSortedValues) {
  std::mt19937 random(1);
  for (std::size_t count = 1; count < 40; ++count) {
    std::vector<double> values(count);
    for (double& value : values) value = std::uniform_int_distribution(-5, 5)(random);
    auto sorted = values;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(median(values), (sorted[(count - 1) / 2] + sorted[count / 2]) / 2) << count;
  }
}

}  // namespace statistics_test
}  // namespace gcan::base
