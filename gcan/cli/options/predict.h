#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gcan/cli/frame/command.h"

namespace gcan::cli {

struct PredictArguments {
  std::string run, file, out, split, checkpoint = "best", trajectories, device = "auto";
  std::optional<std::int64_t> steps, start;
};

void run_predict(const PredictArguments& arguments, const Context& context);

}  // namespace gcan::cli
