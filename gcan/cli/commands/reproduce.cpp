// gcan reproduce: the paper's experiments on this machine, one subcommand each.

#include <CLI/CLI.hpp>

#include "gcan/cli/commands/reproduce_runtimes.h"
#include "gcan/cli/commands/reproduce_table.h"
#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/usage.h"

namespace gcan::cli {

void add_reproduce(CLI::App& program, Context& context) {
  CLI::App* command = program.add_subcommand(
      "reproduce", "Run an experiment of the paper and set its results beside the paper's");
  add_tables(*command, context);
  add_runtimes(*command, context);
  command->footer(
      "Examples:\n"
      "  gcan reproduce tetris-mlp --budget laptop\n"
      "  gcan reproduce shallow-water-resnet --budget laptop\n"
      "  gcan reproduce tetris-mlp --help");
  command->callback([command] {
    if (command->get_subcommands().empty()) {
      throw UsageError(
          "which experiment? as in 'gcan reproduce tetris-mlp'; 'gcan reproduce --help' shows all");
    }
  });
}

}  // namespace gcan::cli
