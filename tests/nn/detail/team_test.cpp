#include "gcan/nn/detail/team.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gcan::nn::detail {
namespace team_test {

TEST(Team, RunsEveryTaskOnce) {
  for (int round = 0; round < 300; ++round) {
    for (const int tasks : {1, 2, 3, 5}) {
      std::vector<int> calls(static_cast<std::size_t>(tasks), 0);
      run_as_team(3, tasks, [&](std::int64_t task) { ++calls[static_cast<std::size_t>(task)]; });
      EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(tasks), 1));
    }
  }
}

TEST(Team, WakesAfterALongSleep) {
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> calls = 0;
    run_as_team(2, 2, [&](std::int64_t) { ++calls; });
    EXPECT_EQ(calls, 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
}

TEST(Team, FreeThreadsTakeTheNextPart) {
  std::atomic<int> done = 0;
  bool all_others = false;
  run_as_team(2, 8, [&](std::int64_t part) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (part == 0 && done < 7 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    if (part == 0) all_others = done == 7;
    ++done;
  });
  EXPECT_TRUE(all_others);
}

TEST(Team, UsesNoMoreThreadsThanRequested) {
  run_as_team(4, 16, [](std::int64_t) {});
  std::mutex mutex;
  for (int round = 0; round < 50; ++round) {
    std::set<std::thread::id> threads;
    run_as_team(2, 16, [&](std::int64_t) {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
    EXPECT_LE(threads.size(), 2U);
  }
}

TEST(Team, LeavesTheCallersCoresAlone) {
  const auto cores = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
  };
  const cpu_set_t before = cores();
  run_as_team(2, 4, [](std::int64_t) {});
  const cpu_set_t after = cores();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(Team, SupportsManyCallersAndNesting) {
  std::atomic<int> calls = 0;
  const auto work = [&] {
    for (int i = 0; i < 200; ++i) {
      run_as_team(2, 2, [&](std::int64_t) { run_as_team(2, 2, [&](std::int64_t) { ++calls; }); });
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(calls, 2 * 200 * 4);
}

TEST(Team, PropagatesAnExceptionAndContinues) {
  const auto fail = [](std::int64_t task) {
    if (task == 1) throw std::runtime_error("task 1");
  };
  EXPECT_THROW(run_as_team(2, 2, fail), std::runtime_error);
  std::atomic<int> calls = 0;
  run_as_team(2, 2, [&](std::int64_t) { ++calls; });
  EXPECT_EQ(calls, 2);
}

TEST(Team, WorksInAForkedProcess) {
  run_as_team(2, 2, [](std::int64_t) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> calls = 0;
    run_as_team(2, 2, [&](std::int64_t) { ++calls; });
    _exit(calls == 2 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace team_test
}  // namespace gcan::nn::detail
