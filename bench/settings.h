#pragma once

namespace gcan::bench {

// Prints the settings of both sides of a comparison with LibTorch. To measure without AVX-512:
//
//   GCAN_SIMD=avx2 ATEN_CPU_CAPABILITY=avx2 DNNL_MAX_CPU_ISA=AVX2 OPENBLAS_CORETYPE=Haswell ./bench/run
//   layers
void print_settings();

}  // namespace gcan::bench
