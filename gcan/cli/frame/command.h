#pragma once

// gcan/cli: the program `gcan`. Each subcommand is one file that parses its arguments and calls the rooms
// below; no mathematics, training or file format lives here.
//
// Loading torch takes half a second, and libgomp and ATen read their settings from the environment while
// they load. So there are two programs: `gcan`, without torch, runs the plain subcommands at once and
// hands everything else to `gcan-torch`, which has all subcommands, with the environment set for it.
//
// A subcommand is added in three steps: a file with a function `add_<name>`, which describes the arguments
// and, when they are parsed, gives the work to the context; its declaration below; and its line in
// plain_commands.cpp or, where it needs torch, in torch_commands.cpp.

#include <CLI/App.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gcan::cli {

// What a subcommand gets from the program and gives back to it.
struct Context {
  // The value of --threads; none when the user did not give it.
  std::optional<int> threads;

  // The work of the chosen subcommand, run once all arguments are known to be good. It prints its result
  // on stdout and throws gcan::Error with one clear sentence when it cannot do its work.
  std::function<void()> work;
};

struct Command {
  std::string name;
  void (*add)(CLI::App& program, Context& context);
};

std::vector<Command> plain_commands();  // in both programs
std::vector<Command> torch_commands();  // in gcan-torch alone

void add_algebra(CLI::App& program, Context& context);
void add_env(CLI::App& program, Context& context);
void add_export(CLI::App& program, Context& context);
void add_import(CLI::App& program, Context& context);
void add_plot(CLI::App& program, Context& context);
void add_simulate(CLI::App& program, Context& context);
void add_validate(CLI::App& program, Context& context);
void add_doctor(CLI::App& program, Context& context);
void add_evaluate(CLI::App& program, Context& context);
void add_list(CLI::App& program, Context& context);
void add_reproduce(CLI::App& program, Context& context);
void add_report(CLI::App& program, Context& context);
void add_rollout(CLI::App& program, Context& context);
void add_train(CLI::App& program, Context& context);

}  // namespace gcan::cli
