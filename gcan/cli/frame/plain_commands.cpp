#include "gcan/cli/frame/command.h"

namespace gcan::cli {

std::vector<Command> plain_commands() {
  return {{"algebra", add_algebra},  {"env", add_env},   {"export", add_export},
          {"import", add_import},    {"plot", add_plot}, {"simulate", add_simulate},
          {"validate", add_validate}};
}

}  // namespace gcan::cli
