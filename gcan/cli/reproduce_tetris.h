#pragma once

#include "gcan/cli/command.h"

namespace gcan::cli {

// The subcommands tetris-mlp, tetris-gnn and tetris-velocity of `gcan reproduce`.
void add_tetris_experiments(CLI::App& reproduce, Context& context);

}  // namespace gcan::cli
