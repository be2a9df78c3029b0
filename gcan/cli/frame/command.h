#pragma once

// gcan/cli: the program `gcan`. Each subcommand parses its arguments and calls the modules below; it contains
// no mathematics, training or file formats.
//
// Loading torch takes half a second, and libgomp and ATen read their settings from the environment while they
// load. So there are two programs with the same commands: `gcan`, without torch, parses all arguments and
// runs what needs no torch (help, usage errors, list, algebra, simulate, ...). For the rest it sets the
// environment and executes `gcan-torch`.
//
// A subcommand is a function `add_<name>`, which describes the arguments and sets the context's work once
// they are parsed; it is declared below and listed in commands.cpp. Without torch it is one file in
// commands/. With torch it is three files and a line: options/<name>.h (arguments, declaration of
// run_<name>), options/<name>.cpp (add_<name>), commands/<name>.cpp (run_<name>), and run_<name> in
// frame/handover.cpp.

#include <CLI/App.hpp>
#include <functional>
#include <optional>
#include <string>

namespace gcan::cli {

// The interface between the program and a subcommand.
struct Context {
  // The program's command line.
  char** argv = nullptr;

  // The value of --threads, if given.
  std::optional<int> threads;

  // The work of the chosen subcommand, run after all arguments are validated. It prints its result on stdout
  // and throws gcan::Error on failure.
  std::function<void()> work;
};

// All subcommands.
void add_commands(CLI::App& program, Context& context);

void add_algebra(CLI::App& program, Context& context);
void add_doctor(CLI::App& program, Context& context);
void add_env(CLI::App& program, Context& context);
void add_evaluate(CLI::App& program, Context& context);
void add_export(CLI::App& program, Context& context);
void add_import(CLI::App& program, Context& context);
void add_list(CLI::App& program, Context& context);
void add_merge(CLI::App& program, Context& context);
void add_plot(CLI::App& program, Context& context);
void add_predict(CLI::App& program, Context& context);
void add_report(CLI::App& program, Context& context);
void add_reproduce(CLI::App& program, Context& context);
void add_rollout(CLI::App& program, Context& context);
void add_simulate(CLI::App& program, Context& context);
void add_train(CLI::App& program, Context& context);
void add_validate(CLI::App& program, Context& context);
void add_watch(CLI::App& program, Context& context);

}  // namespace gcan::cli
