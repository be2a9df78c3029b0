#pragma once

#include <string>
#include <vector>

#include "gcan/cli/frame/command.h"

namespace gcan::cli {

struct WatchArguments {
  std::vector<std::string> folders;
  int port = 0;
};

void run_watch(const WatchArguments& arguments, const Context& context);

}  // namespace gcan::cli
