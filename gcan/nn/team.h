#pragma once

#include <cstdint>
#include <functional>

namespace gcan::nn {

// Runs body(task) for tasks 0 .. tasks - 1, each on a thread of its own, the first on the calling one, and
// returns when all are done. For work of some tens of microseconds that comes again and again: between two
// calls the other threads wait by yielding for about a millisecond before they sleep, while OpenMP's,
// which sleep at once under OMP_WAIT_POLICY=passive, take longer to wake than such work takes. OpenMP, and so
// oneDNN, is kept on one thread inside. When another thread is here already, the tasks run one after another.
void run_as_team(std::int64_t tasks, const std::function<void(std::int64_t task)>& body);

}  // namespace gcan::nn
