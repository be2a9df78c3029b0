#include "gcan/nn/detail/parallel.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "gcan/torch.h"

namespace gcan::nn::detail {
namespace parallel_test {

// Sets torch's number of threads for one test.
class Threads {
 public:
  explicit Threads(int count) : before_(torch::get_num_threads()) { torch::set_num_threads(count); }
  ~Threads() { torch::set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

TEST(ParallelFor, VisitsEachIndexOnceOnTheThreadsOfTorch) {
  const Threads three(3);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::vector<int> visits(100);
  parallel_for(visits.size(), 1, [&](std::size_t begin, std::size_t end) {
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
    for (std::size_t i = begin; i < end; ++i) ++visits[i];
  });
  EXPECT_EQ(visits, std::vector<int>(100, 1));
  EXPECT_EQ(seen.size(), 3U);
}

TEST(ParallelFor, KeepsSmallWorkOnOneThread) {
  const Threads three(3);
  int calls = 0;
  parallel_for(100, 100, [&](std::size_t begin, std::size_t end) {
    ++calls;
    EXPECT_EQ(end - begin, 100U);
  });
  EXPECT_EQ(calls, 1);
  parallel_for(0, 1, [&](std::size_t, std::size_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(ParallelFor, PassesExceptionsOn) {
  const Threads three(3);
  const auto fail = [](std::size_t, std::size_t) { throw std::runtime_error("here"); };
  EXPECT_THROW(parallel_for(100, 1, fail), std::runtime_error);
}

}  // namespace parallel_test
}  // namespace gcan::nn::detail
