#pragma once

// What both programs do around a subcommand: read the arguments, run the work, tell errors in one sentence.

#include <functional>
#include <vector>

#include "gcan/cli/command.h"

namespace gcan::cli {

// Runs the work and returns the program's exit code: 0, 1 for a failure, 2 for a mistake in the arguments.
// A failure is told on stderr as "gcan: <sentence>".
int guarded(const std::function<void()>& work);

// Parses the arguments, runs the subcommand they name and makes sure its output arrived.
void run_program(int argc, const char* const* argv, const std::vector<Command>& commands,
                 const std::function<void(const Context&)>& print_version);

}  // namespace gcan::cli
