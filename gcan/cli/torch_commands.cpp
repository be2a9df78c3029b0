#include "gcan/cli/command.h"

namespace gcan::cli {

std::vector<Command> torch_commands() {
  return {{"doctor", add_doctor}, {"evaluate", add_evaluate}, {"list", add_list}, {"train", add_train}};
}

}  // namespace gcan::cli
