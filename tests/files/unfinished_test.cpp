#include "gcan/files/unfinished.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "gcan/files/durable.h"
#include "tests/data/scratch.h"

namespace gcan::files {
namespace unfinished_test {

namespace fs = std::filesystem;
using test::Scratch;

// Runs `work` in a child process that then waits, sends it the signal, and returns how it ended.
int end_by(int number, const std::function<void()>& work) {
  int ready[2];
  if (pipe(ready) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(number, SIG_DFL);  // A shell starts background processes with SIGINT ignored.
    work();
    if (write(ready[1], "x", 1) == 1) usleep(20'000'000);
    _exit(0);
  }
  char byte = 0;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, number);
  int status = 0;
  waitpid(child, &status, 0);
  close(ready[0]);
  close(ready[1]);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(Unfinished, IsRemovedBySignals) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const Scratch scratch;
    const int ended = end_by(number, [&] {
      make_folder(scratch / "folder");
      for (int i = 0; i < 300; ++i) std::ofstream(scratch / ("folder/" + std::to_string(i))) << i;
      write_durably(scratch / "file", "x");
      write_durably(scratch / "finished", "x");
      for (const char* name : {"folder", "file", "finished"}) unfinished().add(scratch / name);
      unfinished().remove(scratch / "finished");
      unfinished().remove_on_signals();
    });
    EXPECT_EQ(ended, number);
    EXPECT_FALSE(fs::exists(scratch / "folder"));
    EXPECT_FALSE(fs::exists(scratch / "file"));
    EXPECT_TRUE(fs::exists(scratch / "finished"));
  }
}

TEST(Unfinished, NothingBehindALinkIsRemoved) {
  const Scratch scratch;
  make_folder(scratch / "mine");
  write_durably(scratch / "mine/file", "x");
  fs::create_symlink("mine", scratch / "link");
  EXPECT_EQ(end_by(SIGTERM,
                   [&] {
                     unfinished().add(scratch / "link");
                     unfinished().remove_on_signals();
                   }),
            SIGTERM);
  EXPECT_FALSE(fs::is_symlink(scratch / "link"));
  EXPECT_TRUE(fs::exists(scratch / "mine/file"));
}

TEST(Unfinished, IgnoredSignalsStayIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  unfinished().remove_on_signals();
  EXPECT_EQ(raise(SIGHUP), 0);
  std::signal(SIGHUP, SIG_DFL);
}

}  // namespace unfinished_test
}  // namespace gcan::files
