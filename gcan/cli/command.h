#pragma once

// gcan/cli: the program `gcan`. Each subcommand is one file that parses its arguments and calls the rooms
// below; no mathematics, training or file format lives here.
//
// A subcommand is added in three steps: a file with a function `add_<name>` as declared below, which
// describes the arguments and, when they are parsed, hands the work to the context; its declaration here;
// and its call in commands.cpp.

#include <CLI/App.hpp>
#include <functional>
#include <optional>

namespace gcan::cli {

// What a subcommand gets from the program and gives back to it.
struct Context {
  // The value of --threads; none when the user did not give it.
  std::optional<int> threads;

  // The work of the chosen subcommand, run once all arguments are known to be good. It prints its result
  // on stdout and throws gcan::Error with one clear sentence when it cannot do its work.
  std::function<void()> work;

  // Set by subcommands that compute with torch. Only these pay for the threads and SIMD settings in
  // runtime.h, one of which starts the program anew.
  bool computes = false;
};

// Adds every subcommand.
void add_commands(CLI::App& program, Context& context);

void add_doctor(CLI::App& program, Context& context);

}  // namespace gcan::cli
