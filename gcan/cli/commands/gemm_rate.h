#pragma once

// A short benchmark of matrix products, where networks spend nearly all of their time.

#include <string>
#include <vector>

#include "gcan/cli/frame/runtime.h"

namespace gcan::cli {

struct GemmRate {
  std::string type;  // "float32" or "bfloat16"
  int threads = 1;
  double gflops = 0;  // 1e9 multiplications and additions per second
};

// The rates on one thread and on all threads of `runtime`, in float32 and, if the CPU has it in hardware,
// bfloat16. Takes about two seconds and restores the threads.
std::vector<GemmRate> gemm_rates(const Runtime& runtime);

}  // namespace gcan::cli
