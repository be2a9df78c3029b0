#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gcan/cli/frame/command.h"

namespace gcan::cli {

struct TrainArguments {
  std::string config;
  std::vector<std::string> settings;
  std::string out, from, checkpoint = "best";
  std::optional<std::int64_t> steps;
  bool resume = false;
  std::string processes;
  std::string device = "auto";
};

void run_train(const TrainArguments& arguments, const Context& context);

}  // namespace gcan::cli
