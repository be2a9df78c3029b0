#include "gcan/train/loop/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace gcan::train {
namespace order_test {

std::vector<std::int64_t> sorted(std::vector<std::int64_t> v) {
  std::sort(v.begin(), v.end());
  return v;
}

TEST(Order, AnEpochVisitsEachExampleOnce) {
  for (const std::int64_t count : {1, 2, 7, 1000}) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    for (const std::int64_t epoch : {0, 1, 5}) EXPECT_EQ(sorted(shuffled(3, epoch, count)), all);
  }
  EXPECT_NE(shuffled(3, 0, 1000), shuffled(3, 1, 1000));
  EXPECT_NE(shuffled(3, 0, 1000), shuffled(4, 0, 1000));
  EXPECT_EQ(shuffled(3, 2, 1000), shuffled(3, 2, 1000));
}

// All six orders of three things are about equally frequent (chi-square with 5 degrees, p = 1e-4).
TEST(Order, EveryOrderIsEquallyLikely) {
  std::map<std::vector<std::int64_t>, int> counts;
  constexpr int kEpochs = 6000;
  for (int epoch = 0; epoch < kEpochs; ++epoch) ++counts[shuffled(11, epoch, 3)];
  EXPECT_EQ(counts.size(), 6U);
  double chi_square = 0;
  for (const auto& [order, count] : counts) chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_square, 25.7);
}

TEST(Order, BatchesSpanEpochs) {
  for (const std::int64_t batch : {1, 3, 5, 17}) {
    Order order(9, 5, batch);
    std::vector<std::int64_t> visits;
    for (std::int64_t step = 0; step < 10; ++step) {
      const auto indices = order.batch(step);
      ASSERT_EQ(indices.size(), static_cast<std::size_t>(batch));
      visits.insert(visits.end(), indices.begin(), indices.end());
    }
    for (std::size_t i = 0; i < visits.size(); ++i) {
      EXPECT_EQ(visits[i], shuffled(9, static_cast<std::int64_t>(i / 5), 5)[i % 5]);
    }
  }
}

TEST(Order, DependsOnlyOnTheStep) {
  Order on(2, 100, 8), jumped(2, 100, 8);
  for (std::int64_t step = 0; step < 40; ++step) on.batch(step);
  const auto a = on.batch(40), b = jumped.batch(40);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

}  // namespace order_test
}  // namespace gcan::train
