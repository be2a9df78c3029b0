#include "gcan/sim/shared_work.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace gcan::sim {

void SharedWork::run(int threads, const std::function<void()>& worker) {
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < std::min(threads, count_); ++i) others.emplace_back([&] { guarded(worker); });
    guarded(worker);
  }
  if (error_) std::rethrow_exception(error_);
}

std::optional<int> SharedWork::take() {
  if (stopped_) return std::nullopt;
  const int piece = next_++;
  return piece < count_ ? std::optional(piece) : std::nullopt;
}

bool SharedWork::deliver(const std::function<void()>& report) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return false;
  try {
    report();
  } catch (...) {
    stopped_ = true;  // before another thread has the lock
    throw;
  }
  return true;
}

void SharedWork::guarded(const std::function<void()>& worker) {
  try {
    worker();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    stopped_ = true;
  }
}

}  // namespace gcan::sim
