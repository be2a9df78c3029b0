#include "gcan/sim/shared_work.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace gcan::sim {
namespace shared_work_test {

TEST(SharedWork, TakesEveryItemOnce) {
  for (const int threads : {1, 2, 7}) {
    std::vector<int> taken(100);
    SharedWork work(100);
    work.run(threads, [&] {
      while (const auto i = work.take()) work.deliver([&] { ++taken[static_cast<std::size_t>(*i)]; });
    });
    EXPECT_EQ(taken, std::vector<int>(100, 1)) << threads;
  }
}

TEST(SharedWork, WithoutItemsEndsAtOnce) {
  SharedWork work(0);
  int calls = 0;
  work.run(4, [&] {
    ++calls;
    EXPECT_FALSE(work.take());
  });
  EXPECT_EQ(calls, 1);
}

TEST(SharedWork, AnExceptionStopsAllAndPropagates) {
  SharedWork work(1'000'000);
  int delivered = 0;
  const auto worker = [&] {
    while (const auto i = work.take())
      work.deliver([&] {
        if (++delivered == 5) throw std::runtime_error("the disk is full");
      });
  };
  EXPECT_THROW(work.run(3, worker), std::runtime_error);
  EXPECT_TRUE(work.stopped());
  EXPECT_EQ(delivered, 5);
  EXPECT_FALSE(work.deliver([&] { ++delivered; }));
}

}  // namespace shared_work_test
}  // namespace gcan::sim
