#include "gcan/kernels/simd_level.h"

#include <gtest/gtest.h>

#include "gcan/base/cpu.h"

namespace gcan::kernels {
namespace simd_level_test {

TEST(Cpu, NamesASimdLevel) {
  EXPECT_FALSE(simd_level().empty());
  EXPECT_NE(simd_level(), "Unknown");
  if (base::has_avx512()) {
    EXPECT_TRUE(simd_level().starts_with("AVX3")) << simd_level();
  }
}

}  // namespace simd_level_test
}  // namespace gcan::kernels
