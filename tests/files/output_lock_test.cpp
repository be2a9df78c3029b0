#include "gcan/files/output_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "gcan/files/durable.h"
#include "tests/data/scratch.h"

namespace gcan::files {
namespace output_lock_test {

namespace fs = std::filesystem;
using test::expect_error_with;
using test::Scratch;

TEST(OutputLock, TheSecondIsToldWhoWrites) {
  const Scratch scratch;
  {
    const OutputLock lock(scratch / "a.h5");
    expect_error_with([&] { OutputLock(scratch / "a.h5"); },
                      {"a.h5' is being written by process " + std::to_string(getpid()) + " on "});
    EXPECT_NO_THROW(OutputLock(scratch / "b.h5"));
  }
  EXPECT_FALSE(fs::exists(scratch / "a.h5.lock"));
  EXPECT_NO_THROW(OutputLock(scratch / "a.h5"));
}

TEST(OutputLock, OfAFolderLiesInIt) {
  const Scratch scratch;
  const OutputLock lock(scratch / "");
  EXPECT_TRUE(fs::exists(scratch / ".lock"));
  expect_error_with([&] { OutputLock(scratch / ""); }, {"is being written by process"});
}

TEST(OutputLock, EndsWithAKilledProcess) {
  const Scratch scratch;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const OutputLock lock(scratch / "a.h5");
    if (write(ready[1], "x", 1) == 1) pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  expect_error_with([&] { OutputLock(scratch / "a.h5"); }, {"by process " + std::to_string(child)});
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(scratch / "a.h5.lock"));
  EXPECT_NO_THROW(OutputLock(scratch / "a.h5"));
  EXPECT_FALSE(fs::exists(scratch / "a.h5.lock"));
  close(ready[0]);
  close(ready[1]);
}

// A fork of a killed process shares its lock until it ends too, which takes a moment.
TEST(OutputLock, TheCopiesOfAKilledProcessAreWaitedFor) {
  const Scratch scratch;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const OutputLock lock(scratch / "a.h5");
    if (fork() == 0) {
      if (write(ready[1], "x", 1) == 1) usleep(300'000);
      _exit(0);
    }
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(OutputLock(scratch / "a.h5"));
  close(ready[0]);
  close(ready[1]);
}

// Of many concurrent processes one writes at a time: each finds the previous one's counter.
TEST(OutputLock, LeftoversOfACompleteOutputAreRemoved) {
  const Scratch scratch;
  const std::string path = scratch / "a.h5.lock";
  remove_leftovers(scratch / "a.h5");
  std::ofstream(path) << "1000000000 here\n";
  std::ofstream(scratch / "a.h5.partial") << "begun";
  remove_leftovers(scratch / "a.h5");
  EXPECT_FALSE(fs::exists(path));
  EXPECT_FALSE(fs::exists(scratch / "a.h5.partial"));
  std::ofstream(scratch / "a.h5.partial") << "begun";
  {
    const OutputLock lock(scratch / "a.h5");
    remove_leftovers(scratch / "a.h5");
    EXPECT_TRUE(fs::exists(path));
    EXPECT_TRUE(fs::exists(scratch / "a.h5.partial"));
  }
}

TEST(OutputLock, OneAtATime) {
  const Scratch scratch;
  constexpr int kProcesses = 4, kTimes = 50;
  write_durably(scratch / "count", "0");
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < kTimes;) {
        try {
          const OutputLock lock(scratch / "count");
          const int before = std::stoi(read_whole(scratch / "count"));
          usleep(50);
          std::ofstream(scratch / "count") << before + 1;
          ++i;
        } catch (const Error&) {
          usleep(50);
        }
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read_whole(scratch / "count"), std::to_string(kProcesses * kTimes));
}

TEST(OutputLock, SaysWhyItCannotBeTaken) {
  const Scratch scratch;
  expect_error_with([&] { OutputLock(scratch / "none/a.h5"); }, {"none/a.h5", "No such file"});
  fs::create_symlink("elsewhere", scratch / "a.h5.lock");
  EXPECT_THROW(OutputLock(scratch / "a.h5"), Error);
}

}  // namespace output_lock_test
}  // namespace gcan::files
