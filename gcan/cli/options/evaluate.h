#pragma once

#include <string>

#include "gcan/cli/frame/command.h"

namespace gcan::cli {

struct EvaluateArguments {
  std::string run, checkpoint, split = "test", data;
  bool json = false;
  std::string device = "auto";
};

void run_evaluate(const EvaluateArguments& arguments, const Context& context);

}  // namespace gcan::cli
