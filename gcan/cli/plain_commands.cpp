#include "gcan/cli/command.h"

namespace gcan::cli {

std::vector<Command> plain_commands() { return {{"env", add_env}}; }

}  // namespace gcan::cli
