#pragma once

#include <cstdint>
#include <functional>

namespace gcan::nn::detail {

// Runs body(part) once for each of the parts 0 .. parts - 1 on up to `threads` threads including the
// caller's, and returns when all are done. For frequent work of some tens of microseconds: between calls
// the helpers yield for about a millisecond before they sleep, whereas OpenMP's threads, which sleep at
// once under OMP_WAIT_POLICY=passive, take longer to wake than such work takes. Free threads take the next
// part, so a late thread costs nothing; results must therefore not depend on which thread computes a part.
// Inside, OpenMP (and so oneDNN) is limited to one thread. If another thread is using the team, the parts
// run one after another.
// already, the parts run one after another.
void run_as_team(std::int64_t threads, std::int64_t parts,
                 const std::function<void(std::int64_t part)>& body);

}  // namespace gcan::nn::detail
