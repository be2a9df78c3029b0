#include "gcan/nn/team.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gcan::nn {
namespace {

TEST(Team, RunsEveryTaskOnce) {
  for (int round = 0; round < 300; ++round) {
    for (const int tasks : {1, 2, 3, 5}) {
      std::vector<int> calls(static_cast<std::size_t>(tasks), 0);
      run_as_team(tasks, [&](std::int64_t task) { ++calls[static_cast<std::size_t>(task)]; });
      EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(tasks), 1));
    }
  }
}

TEST(Team, WakesAfterALongSleep) {
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> calls = 0;
    run_as_team(2, [&](std::int64_t) { ++calls; });
    EXPECT_EQ(calls, 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
}

TEST(Team, ComesThroughManyCallersAndNesting) {
  std::atomic<int> calls = 0;
  const auto work = [&] {
    for (int i = 0; i < 200; ++i) {
      run_as_team(2, [&](std::int64_t) { run_as_team(2, [&](std::int64_t) { ++calls; }); });
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(calls, 2 * 200 * 4);
}

TEST(Team, PassesAnExceptionOnAndGoesOnWorking) {
  const auto fail = [](std::int64_t task) {
    if (task == 1) throw std::runtime_error("task 1");
  };
  EXPECT_THROW(run_as_team(2, fail), std::runtime_error);
  std::atomic<int> calls = 0;
  run_as_team(2, [&](std::int64_t) { ++calls; });
  EXPECT_EQ(calls, 2);
}

TEST(Team, WorksInAForkedProcess) {
  run_as_team(2, [](std::int64_t) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> calls = 0;
    run_as_team(2, [&](std::int64_t) { ++calls; });
    _exit(calls == 2 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace gcan::nn
