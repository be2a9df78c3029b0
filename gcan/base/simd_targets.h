#pragma once

// Which instruction sets Highway compiles our kernels for. Include it before <hwy/foreach_target.h>.
//
// Each of them costs as long to compile as the others: on x86 only those that change the width of a vector
// are worth it (SSE2, which every machine has, AVX2 and AVX-512). Scalable vectors are left out because
// arrays of vectors need vectors whose size the compiler knows.

#define HWY_DISABLED_TARGETS                                                                              \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_AVX3_ZEN4 | HWY_AVX3_SPR | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | \
   HWY_SVE2_128 | HWY_RVV)

#include <hwy/detect_targets.h>

// Not in Highway 1.0.
#ifndef HWY_AVX3_ZEN4
#define HWY_AVX3_ZEN4 0
#endif
#ifndef HWY_AVX3_SPR
#define HWY_AVX3_SPR 0
#endif
