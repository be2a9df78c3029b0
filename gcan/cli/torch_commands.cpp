#include "gcan/cli/command.h"

namespace gcan::cli {

std::vector<Command> torch_commands() { return {{"doctor", add_doctor}, {"reproduce", add_reproduce}}; }

}  // namespace gcan::cli
