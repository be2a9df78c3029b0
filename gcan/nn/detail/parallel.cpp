#include "gcan/nn/detail/parallel.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace gcan::nn::detail {

void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body) {
  at::parallel_for(0, static_cast<std::int64_t>(count),
                   static_cast<std::int64_t>(std::max<std::size_t>(grain, 1)),
                   [&](std::int64_t begin, std::int64_t end) {
                     body(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
                   });
}

kernels::Parallel libtorch_threads() {
  kernels::Parallel parallel;
  if (at::in_parallel_region() || at::get_num_threads() < 2) return parallel;
  parallel.threads = static_cast<std::size_t>(at::get_num_threads());
  parallel.run = [](std::size_t parts, const std::function<void(std::size_t)>& body) {
    parallel_for(parts, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t part = begin; part < end; ++part) body(part);
    });
  };
  return parallel;
}

}  // namespace gcan::nn::detail
