#include "gcan/kernels/simd_level.h"

#include <gtest/gtest.h>

#include "gcan/base/cpu.h"
#include "gcan/base/simd_targets.h"
// After simd_targets.h.
#include <hwy/targets.h>

namespace gcan::kernels {
namespace simd_level_test {

TEST(Cpu, NamesASimdLevel) {
  EXPECT_FALSE(simd_level().empty());
  EXPECT_NE(simd_level(), "Unknown");
  if (base::has_avx512()) {
    EXPECT_TRUE(simd_level().starts_with("AVX3")) << simd_level();
  }
}

// With AVX-512 disabled, as by GCAN_SIMD=avx2, asking for the level does not enable it again.
TEST(Cpu, TheQuestionKeepsTheLimit) {
  hwy::DisableTargets(HWY_AVX2 - 1);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  const std::size_t chosen = hwy::GetChosenTarget().GetIndex();
  EXPECT_FALSE(simd_level().starts_with("AVX3"));
  EXPECT_EQ(hwy::GetChosenTarget().GetIndex(), chosen);
  hwy::DisableTargets(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace simd_level_test
}  // namespace gcan::kernels
