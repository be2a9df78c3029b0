#include "gcan/kernels/simd_level.h"

#include <hwy/targets.h>

namespace gcan::kernels {

std::string simd_level() {
  const auto targets = hwy::SupportedTargets();
  return hwy::TargetName(targets & -targets);  // lower bits are better targets
}

}  // namespace gcan::kernels
