#pragma once

// Loops on LibTorch's thread pool.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "gcan/kernels/parallel.h"

namespace gcan::nn::detail {

// Calls body(begin, end) for pieces of [0, count) of at least `grain` elements on LibTorch's threads.
// at::parallel_for is inlined and serial in code compiled without OpenMP; this function is compiled once,
// with OpenMP.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

// The same thread pool for a kernel that divides its own work.
kernels::Parallel libtorch_threads();

}  // namespace gcan::nn::detail
