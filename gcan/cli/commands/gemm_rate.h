#pragma once

// A short measurement of the matrix product, on which nearly all of a network's time is spent.

#include <string>
#include <vector>

#include "gcan/cli/frame/runtime.h"

namespace gcan::cli {

struct GemmRate {
  std::string type;  // "float32" or "bfloat16"
  int threads = 1;
  double gflops = 0;  // 1e9 multiplications and additions a second
};

// The rates on one thread and on all that `runtime` has, float32 and, where the CPU has it in hardware,
// bfloat16. Takes about two seconds and leaves the threads as they were.
std::vector<GemmRate> gemm_rates(const Runtime& runtime);

}  // namespace gcan::cli
