#include "gcan/files/whole_file.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "tests/data/scratch.h"

namespace gcan::files {
namespace whole_file_test {

TEST(WholeFile, ChecksumIsZlibs) {
  // zlib.crc32(struct.pack('<2f', 1, 2))
  EXPECT_EQ(checksum(std::array{1.0F, 2.0F}), 0x2E3FA576U);
  EXPECT_EQ(checksum({}), 0U);
}

TEST(WholeFile, AFileGetsItsName) {
  const test::Scratch scratch;
  std::ofstream(scratch / "a") << "new";
  std::ofstream(scratch / "b") << "old";
  give_name(scratch / "a", scratch / "b");
  std::string text;
  std::ifstream(scratch / "b") >> text;
  EXPECT_EQ(text, "new");
  EXPECT_FALSE(std::filesystem::exists(scratch / "a"));
  test::expect_error_with([&] { give_name(scratch / "a", scratch / "b"); }, {"a: cannot be renamed"});
}

TEST(WholeFile, RoomIsAskedForFirst) {
  const test::Scratch scratch;
  EXPECT_NO_THROW(check_room(scratch / "a", 1));
  test::expect_error_with([&] { check_room(scratch / "none/a", 1); }, {"no folder"});
  test::expect_error_with([&] { check_room(scratch / "a", std::numeric_limits<std::uint64_t>::max()); },
                          {"the disk has room for"});
}

}  // namespace whole_file_test
}  // namespace gcan::files
