#pragma once

#include <string>
#include <vector>

#include "gcan/cli/frame/command.h"

namespace gcan::cli {

struct ExportModelArguments {
  std::string run, format = "torchscript", checkpoint = "best", units = "data", grid, out;
  bool fold = false;
};

void add_export_model(CLI::App& program, Context& context);
void run_export_model(const ExportModelArguments& arguments, const Context& context);

struct TensorboardArguments {
  std::vector<std::string> runs;
};

void add_tensorboard(CLI::App& program, Context& context);
void run_tensorboard(const TensorboardArguments& arguments, const Context& context);

}  // namespace gcan::cli
