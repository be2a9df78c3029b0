#include "gcan/files/durable.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "tests/data/scratch.h"
#include "tests/train/file_size_limit.h"

namespace gcan::files {
namespace durable_test {

namespace fs = std::filesystem;
using test::expect_error_with;
using test::Scratch;

TEST(Files, WhatIsWrittenIsRead) {
  const Scratch scratch;
  const std::string text("a\0b\nc", 5);
  write_durably(scratch / "x", text);
  EXPECT_EQ(read_whole(scratch / "x"), text);
  replace_durably(scratch / "x", "new");
  EXPECT_EQ(read_whole(scratch / "x"), "new");
  EXPECT_FALSE(fs::exists(scratch / "x.partial"));
}

TEST(Files, ErrorsNameThePath) {
  const Scratch scratch;
  expect_error_with([&] { read_whole(scratch / "none"); }, {"none"});
  expect_error_with([&] { read_whole(scratch / ""); }, {"cannot be read"});
  expect_error_with([&] { write_durably(scratch / "no/such/folder", "x"); },
                    {"no/such/folder", "No such file"});
  write_durably(scratch / "file", "x");
  expect_error_with([&] { make_folder(scratch / "file/folder"); }, {"file/folder"});
  expect_error_with([&] { make_folder(scratch / "file"); }, {"file"});
}

TEST(Files, AFailedReplacementLeavesTheOldFile) {
  const Scratch scratch;
  write_durably(scratch / "x", "old");
  {
    const test::FileSizeLimit limit(1000);
    const std::string large(100'000, 'x');
    expect_error_with([&] { replace_durably(scratch / "x", large); }, {"cannot be written", "too large"});
  }
  EXPECT_EQ(read_whole(scratch / "x"), "old");
  EXPECT_FALSE(fs::exists(scratch / "x.partial"));
}

// Unwritable paths that are not our files, such as devices, are not removed.
TEST(Files, OnlyFilesAreRemoved) {
  const Scratch scratch;
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  const int reader = open((scratch / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  // A pipe cannot be flushed to a disk.
  expect_error_with([&] { write_durably(scratch / "pipe", "x"); }, {"pipe", "cannot be written"});
  close(reader);
  EXPECT_TRUE(fs::is_fifo(scratch / "pipe"));
}

TEST(Files, AFileGetsItsName) {
  const Scratch scratch;
  write_durably(scratch / "a", "new");
  write_durably(scratch / "b", "old");
  give_name(scratch / "a", scratch / "b");
  EXPECT_EQ(read_whole(scratch / "b"), "new");
  EXPECT_FALSE(fs::exists(scratch / "a"));
  expect_error_with([&] { give_name(scratch / "a", scratch / "b"); }, {"a' cannot be written"});
}

TEST(Files, ALinkChangesInOneStep) {
  const Scratch scratch;
  replace_link("first", scratch / "link");
  replace_link("second", scratch / "link");
  EXPECT_EQ(fs::read_symlink(scratch / "link"), "second");
  EXPECT_FALSE(fs::is_symlink(scratch / "link.partial"));
}

TEST(Files, RoomIsAskedForFirst) {
  const Scratch scratch;
  EXPECT_NO_THROW(check_room(scratch / "a", 1));
  expect_error_with([&] { check_room(scratch / "none/a", 1); }, {"no folder"});
  expect_error_with([&] { check_room(scratch / "a", std::numeric_limits<std::uint64_t>::max()); },
                    {"the disk has room for"});
}

TEST(Files, NothingIsWrittenThroughALink) {
  const Scratch scratch;
  write_durably(scratch / "mine", "mine");
  fs::create_symlink("mine", scratch / "x.partial");
  expect_error_with([&] { replace_durably(scratch / "x", "new"); }, {"x.partial"});
  EXPECT_EQ(read_whole(scratch / "mine"), "mine");
}

TEST(Files, ADanglingLinkIsNamed) {
  const Scratch scratch;
  fs::create_symlink("nowhere", scratch / "out");
  expect_error_with([&] { make_folder(scratch / "out"); }, {"out", "link", "nowhere", "does not exist"});
}

// Every text is complete, for any number of concurrent writers.
TEST(Files, WritersTakeTurns) {
  const Scratch scratch;
  constexpr int kWriters = 4, kTimes = 30;
  std::vector<pid_t> writers;
  for (int w = 0; w < kWriters; ++w) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < kTimes; ++i)
        replace_durably(scratch / "x",
                        std::string(static_cast<std::size_t>(20'000 * (w + 1)), static_cast<char>('a' + w)));
      _exit(0);
    }
    writers.push_back(child);
  }
  while (!fs::exists(scratch / "x")) usleep(100);
  for (int i = 0; i < 200; ++i) {
    const std::string text = read_whole(scratch / "x");
    EXPECT_EQ(text.size(), 20'000U * (static_cast<unsigned>(text[0] - 'a') + 1));
    EXPECT_EQ(text.find_first_not_of(text[0]), std::string::npos);
  }
  for (const pid_t writer : writers) {
    int status = -1;
    waitpid(writer, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_FALSE(fs::exists(scratch / "x.partial"));
}

}  // namespace durable_test
}  // namespace gcan::files
