#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace gcan::base {

struct Limits {
  double cpu_seconds = 20;
  double seconds = 60;                // on the clock
  std::uint64_t bytes = 1ULL << 30U;  // of memory, beyond what this process has
};

// How work in a process of its own ended.
struct LimitedEnd {
  bool done = false;
  std::string error;    // the sentence of the exception it threw
  std::string problem;  // "crashed", "took too long" or "ran out of memory"; empty for the two above
};

// Runs `work` in a copy of this process, so that a crash or an endless loop in it costs that copy alone. The
// copy has no other threads: `work` may call no code that needs them.
LimitedEnd run_limited(const std::function<void()>& work, const Limits& limits);

}  // namespace gcan::base
