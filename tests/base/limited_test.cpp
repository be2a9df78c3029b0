#include "gcan/base/limited.h"

#include <gtest/gtest.h>

#include <csignal>
#include <vector>

#include "gcan/base/error.h"

namespace gcan::base {
namespace limited_test {

TEST(Limited, TellsHowTheWorkEnded) {
  EXPECT_TRUE(run_limited([] {}, {}).done);
  const LimitedEnd threw = run_limited([] { throw Error("a sentence"); }, {});
  EXPECT_FALSE(threw.done);
  EXPECT_EQ(threw.error, "a sentence");
  EXPECT_EQ(threw.problem, "");
}

TEST(Limited, ACrashCostsTheCopyAlone) {
  const LimitedEnd end = run_limited([] { std::raise(SIGSEGV); }, {});
  EXPECT_FALSE(end.done);
  EXPECT_EQ(end.problem, "crashed");
}

TEST(Limited, AnEndlessLoopEnds) {
  volatile bool forever = true;
  const auto loop = [&] {
    while (forever) {
    }
  };
  EXPECT_EQ(run_limited(loop, {.cpu_seconds = 1, .seconds = 20}).problem, "took too long");
  EXPECT_EQ(run_limited(loop, {.cpu_seconds = 20, .seconds = 0.3}).problem, "took too long");
}

TEST(Limited, MemoryIsLimited) {
  const auto greedy = [] {
    std::vector<std::vector<char>> blocks;
    while (true) blocks.emplace_back(std::size_t{10'000'000}, 'x');
  };
  const LimitedEnd end = run_limited(greedy, {.bytes = 100'000'000});
  EXPECT_EQ(end.problem, "ran out of memory");
}

}  // namespace limited_test
}  // namespace gcan::base
