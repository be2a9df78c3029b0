#pragma once

#include "gcan/cli/frame/command.h"

namespace gcan::cli {

// The subcommand runtimes of `gcan reproduce`.
void add_runtimes(CLI::App& reproduce, Context& context);

}  // namespace gcan::cli
