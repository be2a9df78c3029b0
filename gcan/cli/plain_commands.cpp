#include "gcan/cli/command.h"

namespace gcan::cli {

std::vector<Command> plain_commands() { return {{"algebra", add_algebra}, {"env", add_env}}; }

}  // namespace gcan::cli
