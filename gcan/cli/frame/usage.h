#pragma once

// Parses the command line: global options, help and version.

#include <string>

#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/mistakes.h"

namespace gcan::cli {

struct CommandLine {
  std::string answer;  // the help or version to print, if requested; otherwise the context has work
};

// Parses the arguments into the context; throws UsageError.
CommandLine parse(int argc, const char* const* argv, Context& context);

// The number of threads in the text after --threads; throws UsageError.
int parse_threads(const std::string& text);

}  // namespace gcan::cli
