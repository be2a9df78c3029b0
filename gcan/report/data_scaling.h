#pragma once

#include <string>
#include <vector>

#include "gcan/report/chart.h"

namespace gcan::report {

// A model's test error for several numbers of training trajectories. NaN is what was not measured.
struct ScalingCurve {
  std::string name;
  std::vector<double> trajectories;
  std::vector<double> errors;        // as many, or none
  std::vector<double> paper_errors;  // as many, or none
};

// A predictor that needs no training.
struct ConstantError {
  std::string name;
  double error;
};

// The paper's figure: error against the number of training trajectories, both logarithmic, a colour per
// model. Ours are filled markers on solid lines, the paper's hollow ones on dashed lines.
Chart scaling_chart(const std::vector<ScalingCurve>& curves, const std::vector<ConstantError>& trivial);

}  // namespace gcan::report
