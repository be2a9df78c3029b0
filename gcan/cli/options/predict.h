#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gcan/cli/frame/command.h"

namespace gcan::cli {

struct PredictArguments {
  std::string run, out, split, checkpoint = "best", trajectories, device = "auto";
  std::vector<std::string> files;
  std::optional<std::int64_t> steps, start;
};

void run_predict(const PredictArguments& arguments, const Context& context);

}  // namespace gcan::cli
