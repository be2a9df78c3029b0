#pragma once

// The frame of both programs: parse the arguments, run the work, report errors.

#include <functional>
#include <string>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/cli/frame/command.h"

namespace gcan::cli {

// Thrown after a signal has stopped the work and everything is saved.
struct Interrupted : Error {
  Interrupted(const std::string& sentence, int number) : Error(sentence), signal(number) {}
  int signal;
};

// Prepares the process: opens streams 0 to 2 if they are closed, so that no file gets one of these numbers,
// and installs the removal of unfinished files on signals.
void prepare_process();

// Runs the work and returns the exit code: 0, 1 for an error, 2 for a usage error, 128 + n after signal n, as
// in a shell (130 for Ctrl-C, 143 for SIGTERM). Errors are printed on stderr as "gcan: <sentence>".
int guarded(const std::function<void()>& work);

// Parses the arguments, runs the subcommand and checks that its output was written.
void run_program(int argc, char** argv);

}  // namespace gcan::cli
