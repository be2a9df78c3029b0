#include "gcan/files/checksum.h"

#include <gtest/gtest.h>

#include <array>

#include "gcan/files/durable.h"
#include "tests/data/scratch.h"

namespace gcan::files {
namespace checksum_test {

TEST(Checksum, MatchesZlib) {
  // zlib.crc32(struct.pack('<2f', 1, 2))
  EXPECT_EQ(checksum(std::array{1.0F, 2.0F}), 0x2E3FA576U);
  EXPECT_EQ(checksum({}), 0U);
}

TEST(Checksum, ASealShowsEveryChangedByte) {
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

TEST(Checksum, Crc32Continues) {
  const std::string text = "123456789";
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(crc32(bytes), 0xCBF43926U);  // the check value of the CRC's definition
  EXPECT_EQ(crc32(bytes.subspan(4), crc32(bytes.first(4))), crc32(bytes));
  EXPECT_EQ(crc32({}, 7), 7U);
}

TEST(Checksum, AFileShowsEveryChangedBit) {
  const test::Scratch scratch;
  const std::string path = scratch / "x", text(40, 'x');
  write_durably(path, text);
  EXPECT_EQ(check_file(path), Seal::none);
  seal_file(path);
  EXPECT_EQ(check_file(path), Seal::intact);
  const std::string sealed = read_whole(path);
  EXPECT_TRUE(sealed.starts_with(text));
  seal_file(path);
  EXPECT_EQ(read_whole(path), sealed);
  for (std::size_t bit = 0; bit < 8 * sealed.size(); bit += 3) {
    std::string damaged = sealed;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    std::ofstream(path, std::ios::binary) << damaged;
    ASSERT_NE(check_file(path), Seal::intact) << bit;
  }
  write_durably(path, "");
  EXPECT_EQ(check_file(path), Seal::none);
  test::expect_error_with([&] { check_file(scratch / "none"); }, {"none", "cannot be read"});
}

}  // namespace checksum_test
}  // namespace gcan::files
