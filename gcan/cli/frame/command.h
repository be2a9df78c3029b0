#pragma once

// gcan/cli: the program `gcan`. Each subcommand parses its arguments and calls the modules below; no
// mathematics, training or file format lives here.
//
// Loading torch takes half a second, and libgomp and ATen read their settings from the environment while
// they load. So there are two programs with the same commands: `gcan`, without torch, reads all arguments,
// does at once what needs no torch (help, mistakes, list, algebra, simulate, ...), and becomes `gcan-torch`,
// with the environment set for it, for the work that does.
//
// A subcommand is a function `add_<name>`, which describes the arguments and, when they are parsed, gives the
// work to the context; its declaration below; and its line in commands.cpp. Without torch it is one file in
// commands/. With torch it is three, and a line: options/<name>.h with its arguments and the declaration of
// run_<name>, options/<name>.cpp with add_<name>, commands/<name>.cpp with run_<name>; and run_<name> in
// frame/handover.cpp.

#include <CLI/App.hpp>
#include <functional>
#include <optional>
#include <string>

namespace gcan::cli {

// What a subcommand gets from the program and gives back to it.
struct Context {
  // The command line as the program got it.
  char** argv = nullptr;

  // The value of --threads; none when the user did not give it.
  std::optional<int> threads;

  // The work of the chosen subcommand, run once all arguments are known to be good. It prints its result
  // on stdout and throws gcan::Error with one clear sentence when it cannot do its work.
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
