#include "gcan/base/children.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "tests/data/scratch.h"

namespace gcan::base {
namespace children_test {

using test::contents;
using test::Scratch;

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

TEST(Children, ReportHowEachEnded) {
  const Scratch scratch;
  Children children;
  children.start(7, shell("echo out; echo err >&2; exit 3"), scratch / "a.log");
  children.start(8, shell("exit 0"), scratch / "b.log");
  children.start(9, shell("kill -9 $$"), scratch / "c.log");
  EXPECT_EQ(children.running(), 3U);
  std::map<std::size_t, int> codes;
  while (children.running() > 0) {
    for (const Ended& child : children.wait(5)) codes[child.id] = child.code;
  }
  EXPECT_EQ(codes, (std::map<std::size_t, int>{{7, 3}, {8, 0}, {9, 128 + SIGKILL}}));
  EXPECT_EQ(contents(scratch / "a.log"), "out\nerr\n");
}

TEST(Children, WaitTimesOut) {
  const Scratch scratch;
  Children children;
  children.start(0, shell("exec sleep 60"), scratch / "log");
  EXPECT_TRUE(children.wait(0.05).empty());
  EXPECT_EQ(children.running(), 1U);
}

TEST(Children, ASignalReachesThem) {
  const Scratch scratch;
  Children children;
  children.start(1, shell("trap 'exit 5' TERM; echo ready; while :; do sleep 0.02; done"), scratch / "log");
  while (contents(scratch / "log").empty()) children.wait(0.01);
  children.signal(SIGTERM);
  const auto ended = children.wait(10);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.front().code, 5);
}

TEST(Children, DoNotReceiveCtrlC) {
  const Scratch scratch;
  Children children;
  children.start(1, shell("ps -o pgid= -p $$ 2>/dev/null || cut -d' ' -f5 /proc/$$/stat"), scratch / "log");
  children.wait(10);
  EXPECT_NE(std::stol(contents(scratch / "log")), static_cast<long>(getpgrp()));
}

TEST(Children, EndWithTheirParent) {
  const Scratch scratch;
  const std::string log = scratch / "log";
  const pid_t parent = fork();
  if (parent == 0) {
    Children children;
    children.start(0, shell("echo $$; exec sleep 60"), log);
    while (contents(log).empty()) children.wait(0.01);
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(parent, &status, 0);
  const auto child = static_cast<pid_t>(std::stol(contents(log)));
  const auto gone = [&] {
    // A child that ended but was not waited for is a zombie, which kill() still finds.
    const std::string state = contents("/proc/" + std::to_string(child) + "/stat");
    return state.empty() || state.find(") Z") != std::string::npos;
  };
  for (int i = 0; i < 500 && !gone(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(gone());
}

TEST(Children, MissingProgramIsAnError) {
  const Scratch scratch;
  Children children;
  test::expect_error_with([&] { children.start(0, {"/no/such/program"}, scratch / "log"); },
                          {"/no/such/program", "No such file"});
  test::expect_error_with([&] { children.start(0, shell("true"), scratch / "no/folder/log"); },
                          {"no/folder/log"});
  EXPECT_EQ(children.running(), 0U);
}

}  // namespace children_test
}  // namespace gcan::base
