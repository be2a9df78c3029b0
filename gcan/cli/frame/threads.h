#pragma once

// The number of threads to compute with.

#include <optional>
#include <string>

namespace gcan::cli {

struct Threads {
  int number = 1;
  std::string from;  // the origin of the number
};

// `threads` (--threads) if given, else OMP_NUM_THREADS, else every core the process may run on.
Threads choose_threads(std::optional<int> threads);

}  // namespace gcan::cli
