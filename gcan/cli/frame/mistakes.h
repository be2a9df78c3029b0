#pragma once

// Mistakes in the command line, told in one sentence of ours.

#include <CLI/App.hpp>
#include <string>

#include "gcan/base/error.h"

namespace gcan::cli {

// A mistake in the command line, which ends the program with code 2 where other errors end it with 1.
struct UsageError : Error {
  using Error::Error;
};

// Says that the command has no such option, and which one was probably meant.
[[noreturn]] void reject_option(const CLI::App& command, const std::string& word);

// Says that the command has no such subcommand, and which one was probably meant.
[[noreturn]] void reject_command(const CLI::App& command, const std::string& word);

// Says which argument was one too many.
[[noreturn]] void reject_extra(const CLI::App& program, const CLI::App& chosen);

// What CLI11 found wrong with the arguments of the chosen command.
[[noreturn]] void reject_value(const CLI::App& chosen, const CLI::ParseError& error);

}  // namespace gcan::cli
