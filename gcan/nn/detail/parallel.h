#pragma once

// Loops over LibTorch's own threads.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "gcan/kernels/parallel.h"

namespace gcan::nn::detail {

// Calls body(begin, end) for pieces of [0, count) of at least `grain` on the threads that the program gave
// LibTorch. at::parallel_for runs on one thread wherever it is compiled without OpenMP; here it is compiled
// once, with it.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

// The same threads for a kernel that divides its work itself.
kernels::Parallel libtorch_threads();

}  // namespace gcan::nn::detail
