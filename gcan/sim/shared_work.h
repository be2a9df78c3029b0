#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>

namespace gcan::sim {

// A queue of work items 0 .. count - 1 for several threads. An exception in one thread stops the others and
// propagates from run().
//
//   SharedWork work(trajectories);
//   work.run(threads, [&] {
//     Solver solver;                                  // one per thread
//     while (const auto i = work.take()) {
//       ...
//       work.deliver([&] { sink.frame(...); });       // one thread at a time
//     }
//   });
class SharedWork {
 public:
  explicit SharedWork(int count) : count_(count) {}

  // Calls `worker` once on each of up to `threads` threads, including the calling one.
  void run(int threads, const std::function<void()>& worker);

  // The next item; empty if there is none or the work was stopped.
  std::optional<int> take();

  // Calls `report` unless the work was stopped, one call at a time. False if it was stopped.
  bool deliver(const std::function<void()>& report);

  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  void guarded(const std::function<void()>& worker);

  int count_;
  std::atomic<int> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // of deliver() and error_
  std::exception_ptr error_;
};

}  // namespace gcan::sim
