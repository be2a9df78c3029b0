#pragma once

// A folder for a test's files, and helpers for tests of files.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "gcan/base/error.h"

namespace gcan::test {

class Scratch {
 public:
  Scratch() {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("gcan-data-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

// Expects `work` to throw a gcan::Error whose message contains all parts.
template <class Work>
void expect_error_with(const Work& work, std::initializer_list<std::string> parts) {
  try {
    work();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    const std::string sentence = error.what();
    for (const std::string& part : parts)
      EXPECT_NE(sentence.find(part), std::string::npos) << part << " is missing in: " << sentence;
  }
}

inline std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void cut_to(const std::string& path, double part) {
  const auto size = static_cast<double>(std::filesystem::file_size(path));
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(size * part));
}

}  // namespace gcan::test
