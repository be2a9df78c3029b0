#pragma once

// Helpers for tests of pictures.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/data/scratch.h"

namespace gcan::test {

// A test of drawings, skipped if gnuplot is not installed.
class Drawing : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("gnuplot --version > /dev/null 2>&1") != 0)  // NOLINT(cert-env33-c): a fixed command
      GTEST_SKIP() << "gnuplot is not installed (Debian: gnuplot-nox)";
  }
  Scratch scratch;
};

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

// Expects a complete PNG of this size.
inline void expect_png(const std::string& path, unsigned width, unsigned height) {
  const std::string bytes = file_text(path);
  ASSERT_GT(bytes.size(), 2000U) << path;
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(bytes.substr(bytes.size() - 8, 4), "IEND");
  const auto number = [&](std::size_t at) {
    unsigned value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value * 256 + static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  EXPECT_EQ(number(16), width);
  EXPECT_EQ(number(20), height);
}

// The number of pictures of a GIF, from its blocks; -1 if it is incomplete.
inline int gif_pictures(const std::string& path) {
  const std::string bytes = file_text(path);
  const auto at = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U; };
  const auto colours = [](unsigned flags) { return (flags & 0x80U) != 0 ? 3U << ((flags & 7U) + 1) : 0U; };
  if (bytes.substr(0, 6) != "GIF89a") return -1;
  std::size_t i = 13 + colours(at(10));
  int pictures = 0;
  while (i < bytes.size() && at(i) != 0x3B) {
    if (at(i) == 0x2C) {
      ++pictures;
      i += 10 + colours(at(i + 9)) + 1;
    } else if (at(i) == 0x21) {
      i += 2;
    } else {
      return -1;
    }
    while (at(i) != 0) i += at(i) + 1;
    ++i;
  }
  return i + 1 == bytes.size() ? pictures : -1;
}

}  // namespace gcan::test
