#include "bench/settings.h"

#include <fmt/core.h>

#include <cstdlib>
#include <string>

#include "gcan/kernels/simd_level.h"
#include "gcan/nn/capability.h"
#include "gcan/torch.h"

namespace gcan::bench {

void print_settings() {
  const auto setting = [](const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets it meanwhile
    return std::string(value == nullptr ? "not limited" : value);
  };
  fmt::print(
      "LibTorch {}: {} threads, ATen with {}; OpenBLAS: {} (OPENBLAS_CORETYPE); oneDNN: {} "
      "(DNNL_MAX_CPU_ISA); gcan's kernels: {}\n",
      TORCH_VERSION, at::get_num_threads(), nn::aten_capability(), setting("OPENBLAS_CORETYPE"),
      setting("DNNL_MAX_CPU_ISA"), kernels::simd_level());
}

}  // namespace gcan::bench
