#pragma once

// What `gcan --version` prints.

#include <string>

#include "gcan/cli/frame/runtime.h"

namespace gcan::cli {

std::string version_text(const Runtime& runtime);

}  // namespace gcan::cli
