#pragma once

#include <string>
#include <vector>

#include "gcan/cli/frame/command.h"

namespace gcan::cli {

struct ReportArguments {
  std::vector<std::string> folders;
  std::string out, data;
};

void run_report(const ReportArguments& arguments, const Context& context);

}  // namespace gcan::cli
