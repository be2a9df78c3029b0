#pragma once

#include <string>

namespace gcan::nn {

// ATen's SIMD level in use: "AVX512", "AVX2", "DEFAULT", ... It changes the last bits of results, so it
// belongs to what a run records.
std::string aten_capability();

}  // namespace gcan::nn
