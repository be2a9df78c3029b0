#include "gcan/cli/frame/version_text.h"

#include <fmt/core.h>

#include "gcan/cli/frame/threads.h"
#include "gcan/kernels/simd_level.h"
#include "gcan/version.h"

namespace gcan::cli {

std::string version_text(std::optional<int> threads) {
  const Threads chosen = choose_threads(threads);
  return fmt::format(
      "gcan {} (commit {})\n"
      "  compiler  {}\n"
      "  LibTorch  {}\n"
      "  SIMD      {}; 'gcan doctor' shows LibTorch's\n"
      "  threads   {} ({})\n",
      version(), commit(), compiler(), GCAN_TORCH_VERSION, kernels::simd_level(), chosen.number, chosen.from);
}

}  // namespace gcan::cli
