#include "gcan/cli/commands/version_text.h"

#include <fmt/core.h>

#include "gcan/kernels/simd_level.h"
#include "gcan/nn/capability.h"
#include "gcan/version.h"

namespace gcan::cli {

std::string version_text(const Runtime& runtime) {
  return fmt::format(
      "gcan {} (commit {})\n"
      "  compiler  {}\n"
      "  LibTorch  {}\n"
      "  SIMD      {} (gcan), {} (ATen)\n"
      "  threads   {} ({})\n",
      version(), commit(), compiler(), torch_version(), kernels::simd_level(), nn::aten_capability(),
      runtime.threads, runtime.threads_from);
}

}  // namespace gcan::cli
