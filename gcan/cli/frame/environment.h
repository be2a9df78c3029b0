#pragma once

// The environment variables that torch and its libraries read when they are loaded. What the user has set
// stays as it is; what gcan adds is marked, so that `gcan doctor` can tell the two apart.

#include <optional>
#include <string>
#include <vector>

namespace gcan::cli {

struct Variable {
  std::string name;
  std::optional<std::string> value;  // none when not set
  bool set_by_user = false;          // otherwise by gcan, where it has a value
};

// The value of a variable; an empty one counts as not set.
std::optional<std::string> environment(const char* name);

// All variables that decide on threads and SIMD.
std::vector<Variable> compute_environment();

struct Setting {
  std::string name;
  std::string value;
};

// What is to be added to the environment before torch is loaded, to make it fast on this machine: nothing
// that the user has set, and a mark that names what gcan added.
std::vector<Setting> wanted_environment();

// Adds wanted_environment() and replaces this process by gcan-torch with the same
// arguments. Throws gcan::Error where gcan-torch cannot be started.
[[noreturn]] void become_torch_program(char** argv);

}  // namespace gcan::cli
