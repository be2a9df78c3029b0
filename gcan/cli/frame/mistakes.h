#pragma once

// Usage errors, in one sentence instead of CLI11's.

#include <CLI/App.hpp>
#include <string>

#include "gcan/base/error.h"

namespace gcan::cli {

// A usage error, with exit code 2; other errors have 1.
struct UsageError : Error {
  using Error::Error;
};

// Throws for an unknown option, with a suggestion.
[[noreturn]] void reject_option(const CLI::App& command, const std::string& word);

// Throws for an unknown subcommand, with a suggestion.
[[noreturn]] void reject_command(const CLI::App& command, const std::string& word);

// Throws for a superfluous argument.
[[noreturn]] void reject_extra(const CLI::App& program, const CLI::App& chosen);

// Throws for other errors that CLI11 found.
[[noreturn]] void reject_value(const CLI::App& chosen, const CLI::ParseError& error);

}  // namespace gcan::cli
