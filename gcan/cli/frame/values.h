#pragma once

// Validators for option values, with error messages in our words:
// command.add_option(...)->check(whole_number(1, 64)).

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

namespace gcan::cli {

// "--port expects a whole number from 0 to 65535, not 'x'".
CLI::Validator whole_number(std::int64_t least, std::int64_t most);

// The same for text that a command parses itself; throws UsageError.
int whole_number(const std::string& option, const std::string& text, int least, int most);

// The option --device of a command that runs networks.
void add_device(CLI::App& command, std::string& device);

}  // namespace gcan::cli
