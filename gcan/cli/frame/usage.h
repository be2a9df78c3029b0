#pragma once

// Reading the command line: the options of the whole program, and its mistakes told in one sentence.

#include <string>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/cli/frame/command.h"

namespace gcan::cli {

// A mistake in the command line, which ends the program with code 2 where other errors end it with 1.
struct UsageError : Error {
  using Error::Error;
};

// What the command line asks for.
enum class Request { kWork, kHelp, kVersion };

struct CommandLine {
  Request request = Request::kWork;
  std::string help;  // the text to print for kHelp
};

// Parses the arguments into the context; throws UsageError.
CommandLine parse(int argc, const char* const* argv, const std::vector<Command>& commands, Context& context);

// Says that the command has no such option, and which one was probably meant; throws UsageError.
[[noreturn]] void reject_option(const CLI::App& command, const std::string& word);

// The number of threads in the text after --threads; throws UsageError.
int parse_threads(const std::string& text);

}  // namespace gcan::cli
