#include "gcan/data/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace gcan::data {
namespace moments_test {

std::vector<float> random_numbers(std::size_t count, float mean) {
  std::mt19937 engine(1);
  std::normal_distribution<float> normal(mean, 2);
  std::vector<float> values(count);
  for (float& value : values) value = normal(engine);
  return values;
}

Moments of(const std::vector<float>& values) { return field_moments(values, values.size(), 1)[0].values; }

TEST(Moments, JoinedPartsAreTheWhole) {
  const auto values = random_numbers(1000, 1e4F);
  Moments joined;
  for (std::size_t first = 0, size = 1; first < values.size(); first += size, size *= 3) {
    const auto end = std::min(first + size, values.size());
    joined.join(of({values.begin() + static_cast<std::ptrdiff_t>(first),
                    values.begin() + static_cast<std::ptrdiff_t>(end)}));
  }
  const Moments whole = of(values);
  EXPECT_EQ(joined.count, 1000);
  EXPECT_NEAR(joined.mean, whole.mean, 1e-9);
  EXPECT_NEAR(joined.std(), whole.std(), 1e-10);
  EXPECT_NEAR(whole.rms(), std::hypot(whole.mean, whole.std()), 1e-9);
}

TEST(Moments, OfComponentsAndDifferences) {
  // Two frames of two points of two components.
  const auto moments = field_moments(std::vector<float>{1, 10, 3, 30, 2, 40, 6, 80}, 2, 2);
  ASSERT_EQ(moments.size(), 2U);
  EXPECT_DOUBLE_EQ(moments[0].values.mean, 3);
  EXPECT_DOUBLE_EQ(moments[1].values.mean, 40);
  EXPECT_DOUBLE_EQ(moments[0].differences.mean, 2);
  EXPECT_DOUBLE_EQ(moments[0].differences.std(), 1);
  EXPECT_DOUBLE_EQ(moments[1].differences.mean, 40);
}

TEST(Moments, OneFrameHasNoDifferences) {
  const auto moments = field_moments(std::vector<float>{1, 2}, 2, 1);
  EXPECT_EQ(moments[0].differences.count, 0);
  Moments total;
  total.join(moments[0].differences);
  EXPECT_EQ(total.count, 0);
}

}  // namespace moments_test
}  // namespace gcan::data
