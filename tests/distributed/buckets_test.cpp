#include "gcan/distributed/buckets.h"

#include "tests/distributed/ranks.h"

namespace gcan::distributed::buckets_test {
namespace {

using test::expect_fine;
using test::run_ranks;

std::vector<torch::Tensor> tensors() {
  return {torch::zeros({3, 4}), torch::zeros({5}), torch::zeros({7}, torch::kFloat64), torch::zeros({2, 2}),
          torch::zeros({100})};
}

torch::Tensor gradient_of(const torch::Tensor& like, std::size_t i, int rank) {
  return torch::sin(torch::arange(like.numel(), torch::kFloat64) * (rank + 1) + static_cast<double>(i))
      .to(like.scalar_type())
      .view(like.sizes());
}

TEST(Buckets, DependOnlyOnOrderSizesAndTypes) {
  Group alone;
  // 12 + 5 floats, then doubles, then 4 floats, then 100 that need their own bucket.
  EXPECT_EQ(Buckets(alone, tensors(), Wire::as_is, 80).count(), 4U);
  EXPECT_EQ(Buckets(alone, tensors(), Wire::as_is).count(), 3U);
  EXPECT_EQ(Buckets(alone, {}, Wire::as_is).count(), 0U);
}

TEST(Buckets, SumsAreThoseOfTheTensors) {
  const std::vector<torch::Tensor> all = tensors();
  expect_fine(run_ranks(3, [&](Group& group) {
    Buckets buckets(group, all, Wire::as_is, 80);
    std::vector<torch::Tensor> before;
    for (int round = 0; round < 2; ++round) {
      buckets.begin();
      EXPECT_TRUE(buckets.open());
      // Gradients arrive in a different order on each rank; buckets start in order.
      for (std::size_t k = 0; k < all.size(); ++k) {
        const std::size_t i = (k + static_cast<std::size_t>(group.rank())) % all.size();
        buckets.ready(i, gradient_of(all[i], i, group.rank()));
      }
      buckets.start_rest();
      EXPECT_FALSE(buckets.open());
      std::size_t next = 0;
      while (const auto done = buckets.next(true)) {
        for (const std::size_t i : *done) EXPECT_EQ(i, next++) << "in order";
      }
      EXPECT_EQ(next, all.size());
      for (std::size_t i = 0; i < all.size(); ++i) {
        torch::Tensor expected = torch::zeros_like(all[i]);
        for (int rank = 0; rank < 3; ++rank) expected += gradient_of(all[i], i, rank);
        EXPECT_TRUE(torch::allclose(buckets.sum_of(i), expected, 1e-5, 1e-6)) << i;
        if (round == 1) {
          EXPECT_TRUE(torch::equal(buckets.sum_of(i), before[i]));
        }
        before.push_back(buckets.sum_of(i).clone());
      }
    }
  }));
}

TEST(Buckets, AMissingGradientIsZero) {
  const std::vector<torch::Tensor> all = tensors();
  expect_fine(run_ranks(2, [&](Group& group) {
    Buckets buckets(group, all, Wire::as_is);
    for (int round = 0; round < 2; ++round) {
      buckets.begin();
      if (group.first()) buckets.ready(1, gradient_of(all[1], 1, 0));
      buckets.start_rest();
      while (buckets.next(true)) {
      }
      EXPECT_TRUE(torch::equal(buckets.sum_of(1), gradient_of(all[1], 1, 0)));
      EXPECT_EQ(buckets.sum_of(0).abs().max().item<float>(), 0);
    }
  }));
}

}  // namespace
}  // namespace gcan::distributed::buckets_test
