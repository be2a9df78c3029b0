#include "gcan/cli/frame/command.h"

namespace gcan::cli {

std::vector<Command> torch_commands() {
  return {{"doctor", add_doctor}, {"evaluate", add_evaluate},   {"list", add_list},
          {"report", add_report}, {"reproduce", add_reproduce}, {"rollout", add_rollout},
          {"train", add_train}};
}

}  // namespace gcan::cli
