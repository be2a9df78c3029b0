#pragma once

#include "gcan/cli/frame/command.h"

namespace gcan::cli {

// The subcommands of `gcan reproduce` that train the networks of a table: tetris-*, shallow-water-* and
// navier-stokes.
void add_tables(CLI::App& reproduce, Context& context);

}  // namespace gcan::cli
