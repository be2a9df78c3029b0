#pragma once

#include <functional>

namespace gcan::experiments {

// The peak growth of memory in bytes during `work`, relative to the end of `prepare`. Both run in a child
// process, so memory that was freed earlier but kept by the allocator does not count. The child has only this
// thread: call it before other threads are started (OpenMP's do not survive a fork). Error if the child
// fails.
double peak_growth(const std::function<void()>& prepare, const std::function<void()>& work);

}  // namespace gcan::experiments
