#include "gcan/cli/commands/gemm_rate.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "gcan/base/cpu.h"
#include "gcan/torch.h"

namespace gcan::cli {
namespace {

// The best of as many products as fit into the time, which is the one least disturbed by other processes.
double measure(at::ScalarType type) {
  using Clock = std::chrono::steady_clock;
  constexpr std::int64_t kSize = 1024;
  constexpr double kSeconds = 0.4;
  constexpr double kOperations = 2.0 * kSize * kSize * kSize;
  const at::NoGradGuard no_grad;
  const at::Tensor a = at::randn({kSize, kSize}).to(type);
  const at::Tensor b = at::randn({kSize, kSize}).to(type);
  at::Tensor c = at::mm(a, b);  // warm-up: starts threads and lets oneDNN compile its kernel

  double best = std::numeric_limits<double>::infinity();
  const auto start = Clock::now();
  for (auto now = start; now - start < std::chrono::duration<double>(kSeconds);) {
    at::mm_out(c, a, b);
    const auto after = Clock::now();
    best = std::min(best, std::chrono::duration<double>(after - now).count());
    now = after;
  }
  return kOperations / best * 1e-9;
}

}  // namespace

std::vector<GemmRate> gemm_rates(const Runtime& runtime) {
  std::vector<GemmRate> rates;
  std::vector<int> counts{1};
  if (runtime.threads > 1) counts.push_back(runtime.threads);
  for (const int threads : counts) {
    set_threads(threads);  // the full number last, which restores the threads
    rates.push_back({"float32", threads, measure(at::kFloat)});
    if (base::has_bfloat16()) rates.push_back({"bfloat16", threads, measure(at::kBFloat16)});
  }
  return rates;
}

}  // namespace gcan::cli
