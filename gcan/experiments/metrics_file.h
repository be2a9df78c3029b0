#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gcan/report/learning_curves.h"

namespace gcan::experiments {

// What metrics.jsonl of a run folder (gcan/train/run.h) says, also while the run is at work.

// Its newest lines; step 0 where there is none yet.
struct LatestMetrics {
  std::int64_t step = 0;
  std::optional<double> loss, valid;
  std::optional<double> steps_per_second;  // of the last few lines
};
LatestMetrics latest_metrics(const std::string& run);

// All of it as a curve; Error where there is no such file.
report::LearningCurve learning_curve(const std::string& run, const std::string& name);

}  // namespace gcan::experiments
