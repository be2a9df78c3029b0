// gcan reproduce: the paper's experiments on this machine, one subcommand each.

#include "gcan/cli/command.h"
#include "gcan/cli/reproduce_tetris.h"

namespace gcan::cli {

void add_reproduce(CLI::App& program, Context& context) {
  CLI::App* command = program.add_subcommand(
      "reproduce", "Run an experiment of the paper and set its results beside the paper's");
  command->require_subcommand(1);
  add_tetris_experiments(*command, context);
}

}  // namespace gcan::cli
