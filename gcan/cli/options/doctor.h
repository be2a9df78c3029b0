#pragma once

#include "gcan/cli/frame/command.h"

namespace gcan::cli {

struct DoctorArguments {
  bool json = false;
};

void run_doctor(const DoctorArguments& arguments, const Context& context);

}  // namespace gcan::cli
