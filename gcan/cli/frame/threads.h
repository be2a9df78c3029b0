#pragma once

// How many threads to compute with.

#include <optional>
#include <string>

namespace gcan::cli {

struct Threads {
  int number = 1;
  std::string from;  // who decided
};

// `threads` where given (--threads), else the user's OMP_NUM_THREADS, else every core the process may run on.
Threads choose_threads(std::optional<int> threads);

}  // namespace gcan::cli
