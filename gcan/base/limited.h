#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace gcan::base {

struct Limits {
  double cpu_seconds = 20;
  double seconds = 60;                // wall-clock time
  std::uint64_t bytes = 1ULL << 30U;  // memory beyond what this process has
};

// How work in a separate process ended.
struct LimitedEnd {
  bool done = false;
  std::string error;    // the message of the exception it threw
  std::string problem;  // "crashed", "took too long" or "ran out of memory"; empty otherwise
};

// Runs `work` in a fork of this process, which contains crashes and endless loops. The fork has no other
// threads, so `work` must not depend on any.
LimitedEnd run_limited(const std::function<void()>& work, const Limits& limits);

}  // namespace gcan::base
