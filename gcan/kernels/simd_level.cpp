#include "gcan/kernels/simd_level.h"

#include <hwy/targets.h>

#include <cstdlib>
#include <string_view>

namespace gcan::kernels {
namespace {

// Before main(), so that every kernel chooses its instruction set afterwards.
[[maybe_unused]] const bool limited = [] {
  const char* value = std::getenv("GCAN_SIMD");  // NOLINT(concurrency-mt-unsafe): before main()
  const bool avx2 = value != nullptr && std::string_view(value) == "avx2";
  if (avx2) hwy::DisableTargets(HWY_AVX2 - 1);  // lower bits are better targets
  return avx2;
}();

}  // namespace

std::string simd_level() {
  const auto targets = hwy::SupportedTargets();
  // Highway 1.0 forgets at this question what is disabled.
  hwy::GetChosenTarget().Update(targets);
  return hwy::TargetName(targets & -targets);
}

}  // namespace gcan::kernels
