#pragma once

#include <cstdint>
#include <functional>

namespace gcan::nn::detail {

// Runs body(part) once for each of the parts 0 .. parts - 1 on up to `threads` threads, the calling one among
// them, and returns when all are done. For work of some tens of microseconds that comes again and again:
// between two calls the other threads wait by yielding for about a millisecond before they sleep, while
// OpenMP's, which sleep at once under OMP_WAIT_POLICY=passive, take longer to wake than such work takes. Who
// is free takes the next part, so a thread that comes late costs nothing; what a part computes must therefore
// not depend on the thread. OpenMP, and so oneDNN, is kept on one thread inside. When another thread is here
// already, the parts run one after another.
void run_as_team(std::int64_t threads, std::int64_t parts,
                 const std::function<void(std::int64_t part)>& body);

}  // namespace gcan::nn::detail
