#pragma once

// gcan/kernels: the CPU kernels, on spans of plain numbers, with SIMD chosen at run time. Nothing here may
// use torch, start threads or change settings of the host program.

#include <string>

namespace gcan::kernels {

// The best SIMD level that Highway's kernels may use on this CPU, by Highway's name: "AVX2", "AVX3" (which
// is AVX-512), "AVX3_DL", "NEON", ... The environment variable GCAN_SIMD=avx2 excludes better instruction
// sets than AVX2, to measure what a CPU without AVX-512 would do; other values have no effect.
std::string simd_level();

}  // namespace gcan::kernels
