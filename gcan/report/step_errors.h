#pragma once

#include <string>
#include <vector>

#include "gcan/report/chart.h"

namespace gcan::report {

// The error of a model at each predicted step.
struct StepErrors {
  std::string name;
  std::vector<double> by_step;
  bool trivial = false;  // a trivial predictor, drawn in grey
};

// Error by prediction step, a line per model, on a logarithmic axis; steps count from `first_step`.
Chart step_chart(const std::vector<StepErrors>& models, int first_step);

}  // namespace gcan::report
