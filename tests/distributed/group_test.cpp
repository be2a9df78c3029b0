#include "gcan/distributed/group.h"

#include <chrono>

#include "tests/distributed/ranks.h"

namespace gcan::distributed::group_test {
namespace {

using test::expect_fine;
using test::run_ranks;

torch::Tensor numbers_of(int rank, std::int64_t count) {
  return torch::sin(torch::arange(count, torch::kFloat32) * (rank + 1));
}

TEST(Group, AloneDoesNothing) {
  Group group;
  EXPECT_TRUE(group.first());
  const torch::Tensor x = torch::ones({3});
  group.sum(x);
  group.broadcast(x);
  EXPECT_TRUE(torch::equal(x, torch::ones({3})));
  EXPECT_EQ(group.gather("a"), std::vector<std::string>{"a"});
  EXPECT_EQ(group.share(7), (std::pair<std::int64_t, std::int64_t>(0, 7)));
  const torch::Tensor rows = torch::rand({4, 2}, torch::kFloat64);
  EXPECT_TRUE(torch::equal(group.join_rows(rows, 4), rows));
  group.leave();
}

TEST(Group, SharesCoverAllAndDifferByOneAtMost) {
  expect_fine(run_ranks(3, [](Group& group) {
    for (const std::int64_t count : {0, 1, 2, 3, 7, 64}) {
      const auto [begin, end] = group.share(count);
      EXPECT_LE(std::abs((end - begin) * 3 - count), 2);
      const torch::Tensor total = torch::tensor({end - begin}, torch::kInt64);
      group.sum(total);
      EXPECT_EQ(total.item<std::int64_t>(), count);
    }
  }));
}

TEST(Group, SumsAreThoseOfOneProcess) {
  constexpr std::int64_t kCount = 1000;
  for (const int size : {2, 4}) {
    torch::Tensor expected = torch::zeros({kCount});
    for (int rank = 0; rank < size; ++rank) expected += numbers_of(rank, kCount);
    expect_fine(run_ranks(size, [&](Group& group) {
      const torch::Tensor own = numbers_of(group.rank(), kCount);
      group.sum(own);
      EXPECT_TRUE(torch::allclose(own, expected, 1e-5, 1e-5));
      const torch::Tensor again = numbers_of(group.rank(), kCount);
      group.sum(again);
      EXPECT_TRUE(torch::equal(own, again)) << "the same bits at every repetition";
      const torch::Tensor from_first = own.clone();
      group.broadcast(from_first);
      EXPECT_TRUE(torch::equal(own, from_first)) << "the same bits on every rank";
    }));
  }
}

TEST(Group, SumsInBfloat16AreEqualOnAllRanksAndClose) {
  constexpr std::int64_t kCount = 1001;  // does not divide by the ranks
  torch::Tensor expected = torch::zeros({kCount});
  for (int rank = 0; rank < 3; ++rank) expected += numbers_of(rank, kCount);
  expect_fine(run_ranks(3, [&](Group& group) {
    const torch::Tensor own = numbers_of(group.rank(), kCount);
    group.sum_later(own, Wire::bfloat16).wait();
    EXPECT_LT((own - expected).abs().max().item<float>(), 3.0F / 128);
    EXPECT_TRUE(torch::equal(own, own.to(torch::kBFloat16).to(torch::kFloat32))) << "it was rounded";
    const torch::Tensor from_first = own.clone();
    group.broadcast(from_first);
    EXPECT_TRUE(torch::equal(own, from_first));
    // Numbers that need more are left as they are.
    const torch::Tensor exact = torch::full({2}, 1.0 / 3, torch::kFloat64);
    group.sum_later(exact, Wire::bfloat16).wait();
    EXPECT_NEAR(exact[0].item<double>(), 1, 1e-15);
  }));
}

TEST(Group, TextsReachAll) {
  expect_fine(run_ranks(3, [](Group& group) {
    const std::string own(static_cast<std::size_t>(group.rank() * 5), static_cast<char>('a' + group.rank()));
    EXPECT_EQ(group.gather(own), (std::vector<std::string>{"", "bbbbb", "cccccccccc"}));
    EXPECT_EQ(group.broadcast(group.first() ? "from rank 0" : "not read"), "from rank 0");
    EXPECT_EQ(group.broadcast(std::string()), "");
  }));
}

TEST(Group, RowsOfUnitsDoNotDependOnTheNumberOfRanks) {
  for (const std::int64_t units : {1, 2, 5, 9}) {
    const auto row = [](std::int64_t unit) {
      return torch::cos(torch::arange(4, torch::kFloat64) + static_cast<double>(unit));
    };
    Group alone;
    const torch::Tensor expected = rows_of_units(alone, units, row);
    ASSERT_EQ(expected.sizes(), (std::vector<std::int64_t>{units, 4}));
    expect_fine(run_ranks(3, [&](Group& group) {
      std::int64_t calls = 0;
      const torch::Tensor all = rows_of_units(group, units, [&](std::int64_t unit) {
        ++calls;
        return row(unit);
      });
      EXPECT_TRUE(torch::equal(all, expected)) << units;
      EXPECT_LE(calls, (units + 2) / 3) << "only its own";
    }));
  }
}

TEST(Group, AFailingRanksMessageReachesAll) {
  const auto start = std::chrono::steady_clock::now();
  const auto sentences = run_ranks(4, [](Group& group) {
    if (group.rank() == 2) {
      group.fail("its disk is full");
      throw Error("its disk is full");
    }
    group.sum(torch::ones({10}));
  });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(sentences[2], "its disk is full");
  for (const std::size_t rank : {0, 1, 3}) {
    EXPECT_NE(sentences[rank].find("rank 2 (host "), std::string::npos) << sentences[rank];
    EXPECT_NE(sentences[rank].find("failed: its disk is full"), std::string::npos) << sentences[rank];
  }
}

TEST(Group, ARankThatComputesForeverIsNamed) {
  const auto sentences = run_ranks(
      3,
      [](Group& group) {
        if (group.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2500));
        group.sum(torch::ones({10}));
      },
      2);
  for (const std::string& sentence : sentences) {
    EXPECT_NE(sentence.find("rank 1 (host "), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("hangs"), std::string::npos) << sentence;
  }
}

TEST(Group, WorkWithoutProgressReportsMayTakeLong) {
  expect_fine(run_ranks(
      2,
      [](Group& group) {
        if (group.rank() == 1) {
          const Group::Busy busy(group);
          std::this_thread::sleep_for(std::chrono::milliseconds(2500));
        }
        group.sum(torch::ones({10}));
      },
      2));
}

TEST(Group, AMissingRankIsNamed) {
  std::vector<std::string> sentences(2);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([&, rank] {
      try {
        Group::join(test::launch_of_rank(rank, 3, "missing"), 1.5);
      } catch (const Error& error) {
        sentences[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  EXPECT_NE(sentences[0].find("rank 2 of 3 did not connect within 1 s"), std::string::npos) << sentences[0];
  EXPECT_NE(sentences[1].find("rank"), std::string::npos) << sentences[1];
  EXPECT_FALSE(std::filesystem::exists(test::launch_of_rank(0, 3, "missing").file));
}

}  // namespace
}  // namespace gcan::distributed::group_test
