#include "gcan/base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace gcan::base {
namespace utf8_test {

// As in RFC 3629, section 3.
std::string encoded(std::uint32_t code) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  const auto next = [&](unsigned shift) { return byte(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | code >> 6), next(0)};
  if (code < 0x10000) return {byte(0xE0 | code >> 12), next(6), next(0)};
  return {byte(0xF0 | code >> 18), next(12), next(6), next(0)};
}

TEST(Utf8, EveryCharacterIsRead) {
  for (std::uint32_t code = 0; code <= 0x110000; ++code) {
    const std::string bytes = encoded(code);
    const bool is_character = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    const auto [read, size] = first_utf8(bytes + "x");
    ASSERT_EQ(size, is_character ? bytes.size() : 0) << code;
    if (is_character) {
      ASSERT_EQ(read, code);
    }
  }
}

TEST(Utf8, InvalidBytesHaveNoSize) {
  for (const char* bytes :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xF5\x80\x80\x80", "\xC3",
        "\xC3(", "\xE2\x82", "\xE2(\xA1", "\xF0\x9F\x98", "\xFF"})
    EXPECT_EQ(first_utf8(bytes).size, 0U) << bytes;
}

}  // namespace utf8_test
}  // namespace gcan::base
