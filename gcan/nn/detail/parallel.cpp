#include "gcan/nn/detail/parallel.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace gcan::nn {

void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body) {
  at::parallel_for(0, static_cast<std::int64_t>(count),
                   static_cast<std::int64_t>(std::max<std::size_t>(grain, 1)),
                   [&](std::int64_t begin, std::int64_t end) {
                     body(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
                   });
}

}  // namespace gcan::nn
