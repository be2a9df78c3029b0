#include "gcan/train/loop/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gcan::train {
namespace {

std::int64_t warmup_of(const config::Options& train) {
  if (const std::int64_t steps = train.integer("warmup_steps"); steps > 0) return steps;
  // A tenth of 670 steps is 67 in spite of rounding.
  constexpr double kRounding = 1e-9;
  return static_cast<std::int64_t>(train.number("warmup") * static_cast<double>(train.integer("steps")) +
                                   kRounding);
}

}  // namespace

Schedule::Schedule(const config::Options& train)
    : peak(train.number("learning_rate")),
      last(train.number("final_learning_rate")),
      warmup(warmup_of(train)),
      steps(train.integer("steps")),
      cosine(train.text("schedule") == "cosine") {}

double Schedule::operator()(std::int64_t step) const {
  if (step <= warmup) return peak * static_cast<double>(step) / static_cast<double>(warmup);
  if (!cosine) return peak;
  const double done =
      static_cast<double>(step - warmup) / static_cast<double>(std::max<std::int64_t>(1, steps - warmup));
  return last + (peak - last) * (1 + std::cos(std::numbers::pi * std::min(1.0, done))) / 2;
}

}  // namespace gcan::train
