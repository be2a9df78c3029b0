#pragma once

#include <string>

namespace gcan::nn {

// ATen's SIMD level in use: "AVX512", "AVX2", "DEFAULT", ... It affects the last bits of results, so runs
// record it.
std::string aten_capability();

}  // namespace gcan::nn
