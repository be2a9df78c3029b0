#pragma once

// Runs a built program like a user and captures its output, for end-to-end tests of `gcan`.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace gcan::test {

struct Outcome {
  int code = -1;  // exit code; 128 + n for a program that signal n ended, as in a shell
  std::string out;
  std::string err;
};

struct RunOptions {
  std::vector<std::string> environment;  // "NAME=value", added to the test's environment; "NAME" removes it
  std::string stdout_file;               // the destination of stdout instead of Outcome::out
  std::string input = {};                // the contents of stdin
};

namespace detail {

inline std::string read_and_remove(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

inline std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  std::vector<std::string> result;
  const auto name_of = [](const std::string& entry) { return entry.substr(0, entry.find('=')); };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    bool changed = false;
    for (const std::string& change : changes) changed = changed || name_of(change) == name_of(*entry);
    if (!changed) result.emplace_back(*entry);
  }
  for (const std::string& change : changes) {
    if (change.find('=') != std::string::npos) result.push_back(change);
  }
  return result;
}

inline std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

inline std::string temporary_file(const char* stream) {
  static int count = 0;
  return (std::filesystem::temp_directory_path() /
          ("gcan-test-" + std::to_string(getpid()) + "-" + std::to_string(count++) + "-" + stream))
      .string();
}

}  // namespace detail

// Runs command[0] with the other words as arguments, without a shell, and waits for its end.
inline Outcome run_program(std::vector<std::string> command, const RunOptions& options = {}) {
  const std::string err_file = detail::temporary_file("err");
  const std::string out_file =
      options.stdout_file.empty() ? detail::temporary_file("out") : options.stdout_file;
  const std::string in_file = detail::temporary_file("in");
  std::ofstream(in_file) << options.input;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, in_file.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out_file.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err_file.c_str(), O_WRONLY | O_CREAT, 0600);
  auto environment = detail::environment_with(options.environment);
  pid_t child = 0;
  const int error = posix_spawn(&child, command.front().c_str(), &files, nullptr,
                                detail::pointers(command).data(), detail::pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  std::filesystem::remove(in_file);
  Outcome outcome;
  if (error != 0) {
    ADD_FAILURE() << "cannot start " << command.front();
    return outcome;
  }
  int status = 0;
  waitpid(child, &status, 0);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.err = detail::read_and_remove(err_file);
  if (options.stdout_file.empty()) outcome.out = detail::read_and_remove(out_file);
  return outcome;
}

// Runs gcan itself; GCAN_PROGRAM is defined by tests/cli/CMakeLists.txt.
inline Outcome run_gcan(std::vector<std::string> arguments, const RunOptions& options = {}) {
  arguments.insert(arguments.begin(), GCAN_PROGRAM);
  return run_program(std::move(arguments), options);
}

// Expects the program to have failed with one sentence on stderr, "gcan: ...", that contains `part`, starts
// in lower case unless with a name, and has no full stop.
inline void expect_error(const Outcome& outcome, int code, const std::string& part) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("gcan: ")) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::regex_search(outcome.err, std::regex("^gcan: [A-Z][a-z]* |\\.\n$"))) << outcome.err;
}

}  // namespace gcan::test
