#pragma once

// What both programs do around a subcommand: read the arguments, run the work, tell errors in one sentence.

#include <functional>
#include <string>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/cli/frame/command.h"

namespace gcan::cli {

// The end of work that a signal asked to stop, after everything was saved.
struct Interrupted : Error {
  Interrupted(const std::string& sentence, int number) : Error(sentence), signal(number) {}
  int signal;
};

// What a process needs before its work: streams 0 to 2 that are open, so that no file of ours gets one of
// these numbers, and nothing left behind when a signal ends it.
void prepare_process();

// Runs the work and returns the program's exit code: 0, 1 for a failure, 2 for a mistake in the arguments,
// 128 + n after signal n, as in a shell (130 for Ctrl-C, 143 for SIGTERM).
// A failure is told on stderr as "gcan: <sentence>".
int guarded(const std::function<void()>& work);

// Parses the arguments, runs the subcommand they name and makes sure its output arrived.
void run_program(int argc, char** argv);

}  // namespace gcan::cli
