#pragma once

// Checks of an option's value, whose mistakes are told as sentences:
// command.add_option(...)->check(whole_number(1, 64)).

#include <CLI/App.hpp>
#include <cstdint>

namespace gcan::cli {

// "--port expects a whole number from 0 to 65535, and 'x' is not one".
CLI::Validator whole_number(std::int64_t least, std::int64_t most);

}  // namespace gcan::cli
