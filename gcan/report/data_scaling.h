#pragma once

#include <string>
#include <vector>

#include "gcan/report/chart.h"

namespace gcan::report {

// A model's test error for several numbers of training trajectories. NaN if not measured.
struct ScalingCurve {
  std::string name;
  std::vector<double> trajectories;
  std::vector<double> errors;        // the same number, or none
  std::vector<double> paper_errors;  // the same number, or none
};

// A predictor that needs no training.
struct ConstantError {
  std::string name;
  double error;
};

// The paper's figure: error against the number of training trajectories, log-log, one colour per model. Our
// results have filled markers and solid lines, the paper's hollow markers and dashed lines.
Chart scaling_chart(const std::vector<ScalingCurve>& curves, const std::vector<ConstantError>& trivial);

}  // namespace gcan::report
