#pragma once

// Environment variables that torch and its libraries read at load time. gcan does not change the user's
// settings and marks its own, so that `gcan doctor` can distinguish them.

#include <optional>
#include <string>
#include <vector>

namespace gcan::cli {

struct Variable {
  std::string name;
  std::optional<std::string> value;  // empty if not set
  bool set_by_user = false;          // otherwise set by gcan, if it has a value
};

// The value of a variable; an empty value counts as not set.
std::optional<std::string> environment(const char* name);

// All variables that affect threads and SIMD.
std::vector<Variable> compute_environment();

struct Setting {
  std::string name;
  std::string value;
};

// Variables to set before torch is loaded, to make it fast on this machine: only those that the user has not
// set, and a variable that lists them.
std::vector<Setting> wanted_environment();

// Sets wanted_environment() and executes gcan-torch with the same arguments. Throws gcan::Error if gcan-torch
// cannot be started.
[[noreturn]] void become_torch_program(char** argv);

}  // namespace gcan::cli
