#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gcan/cli/frame/command.h"

namespace gcan::cli {

struct RolloutArguments {
  std::string run, out, split = "test", checkpoint = "best", data;
  std::int64_t index = 0;
  std::optional<std::int64_t> start, steps;
  std::string fields, device = "auto";
};

void run_rollout(const RolloutArguments& arguments, const Context& context);

}  // namespace gcan::cli
