#pragma once

// Reading the command line: the options of the whole program, help and version.

#include <string>

#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/mistakes.h"

namespace gcan::cli {

struct CommandLine {
  std::string
      answer;  // what to print, where help or the version was asked for; otherwise the context has work
};

// Parses the arguments into the context; throws UsageError.
CommandLine parse(int argc, const char* const* argv, Context& context);

// The number of threads in the text after --threads; throws UsageError.
int parse_threads(const std::string& text);

}  // namespace gcan::cli
