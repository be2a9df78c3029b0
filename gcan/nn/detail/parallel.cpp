#include "gcan/nn/detail/parallel.h"

#include <ATen/Parallel.h>

#include <algorithm>

#ifdef GCAN_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace gcan::nn::detail {
namespace {

// The thread sanitizer does not see the barriers of OpenMP's runtime, which is not instrumented, and neither
// is this file in such a build. This tells it what they order.
class Order {
 public:
#ifdef GCAN_THREAD_SANITIZER
  void release() { __tsan_release(this); }
  void acquire() { __tsan_acquire(this); }
#else
  void release() {}
  void acquire() {}
#endif
};

}  // namespace

void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body) {
  Order before, after;
  before.release();
  at::parallel_for(0, static_cast<std::int64_t>(count),
                   static_cast<std::int64_t>(std::max<std::size_t>(grain, 1)),
                   [&](std::int64_t begin, std::int64_t end) {
                     before.acquire();
                     body(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
                     after.release();
                   });
  after.acquire();
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
