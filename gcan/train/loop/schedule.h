#pragma once

#include <cstdint>

#include "gcan/config/options.h"

namespace gcan::train {

// The learning rate as a function of the step: linear warm-up from 0 over the first `warmup` steps, then
// constant, or half a cosine down to `last` at the final step.
//
//   Schedule schedule(options);      // section "train": schedule, learning_rate, ...
//   schedule(1);                     // of the first step
struct Schedule {
  explicit Schedule(const config::Options& train);

  // Steps count from 1.
  [[nodiscard]] double operator()(std::int64_t step) const;

  double peak, last;
  std::int64_t warmup, steps;
  bool cosine;
};

}  // namespace gcan::train
