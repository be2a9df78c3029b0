#pragma once

#include <functional>

namespace gcan::experiments {

// How many bytes the memory of a process grows at most during `work`, beyond what it has after `prepare`.
// Both run in a child process, so that memory freed earlier and kept by the allocator does not count. The
// child has this thread alone: call it before the program has started others (OpenMP's do not survive a
// fork). Error when the child fails.
double peak_growth(const std::function<void()>& prepare, const std::function<void()>& work);

}  // namespace gcan::experiments
