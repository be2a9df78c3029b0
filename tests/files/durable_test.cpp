#include "gcan/files/durable.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

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

// What cannot be written but is no file of ours, such as a device, is left alone.
TEST(Files, OnlyFilesAreRemoved) {
  const Scratch scratch;
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  const int reader = open((scratch / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  // A pipe cannot be flushed to a disk.
  expect_error_with([&] { write_durably(scratch / "pipe", "x"); }, {"pipe", "cannot be written"});
  close(reader);
  EXPECT_TRUE(fs::is_fifo(scratch / "pipe"));
}

TEST(Files, ASealShowsEveryChangedByte) {
  const std::string rest_text = "the rest of the file";
  const auto rest = std::as_bytes(std::span(rest_text));
  std::string text = R"({"crc32":"00000000","step":12})";
  seal(text, rest);
  EXPECT_EQ(check_seal(text, rest), Seal::intact);
  EXPECT_EQ(check_seal(text), Seal::broken);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_NE(check_seal(damaged, rest), Seal::intact) << i;
  }
  EXPECT_EQ(check_seal("{}"), Seal::none);
  EXPECT_EQ(check_seal(R"("crc32":"123)"), Seal::none);
}

TEST(Files, Crc32GoesOn) {
  const std::string text = "123456789";
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(crc32(bytes), 0xCBF43926U);  // the check value of the CRC's definition
  EXPECT_EQ(crc32(bytes.subspan(4), crc32(bytes.first(4))), crc32(bytes));
  EXPECT_EQ(crc32({}, 7), 7U);
}

}  // namespace durable_test
}  // namespace gcan::files
