#pragma once

// Runs a test on every instruction set of the CPU, not only the best.

#include <gtest/gtest.h>

#include <functional>

#include "gcan/base/simd_targets.h"
// After simd_targets.h.
#include <hwy/targets.h>

namespace gcan::test {

inline void on_every_target(const std::function<void()>& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace gcan::test
