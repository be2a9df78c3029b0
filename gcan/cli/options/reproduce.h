#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gcan/cli/frame/command.h"
#include "gcan/experiments/runtimes.h"

namespace gcan::cli {

// A table of the paper.
struct ReproduceArguments {
  std::string experiment;
  std::string budget = "laptop", protocol, out;
  std::vector<std::string> models;
  std::vector<std::int64_t> trajectories;
  std::int64_t length = 0, seeds = 1, batch = 0;
  std::optional<double> learning_rate;
  int jobs = 0;
  bool list = false;
  std::string cells, device = "auto";
};

void run_reproduce(const ReproduceArguments& given, const Context& context);

// The paper's runtime table.
struct RuntimesArguments {
  std::string grid = "96x192";
  experiments::RuntimeOptions options;
};

void run_runtimes(const RuntimesArguments& arguments, const Context& context);

}  // namespace gcan::cli
