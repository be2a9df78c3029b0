#pragma once

#include <string>
#include <vector>

#include "gcan/report/chart.h"

namespace gcan::report {

// Training and validation errors of a run, which may be measured at different steps; either may be empty.
struct LearningCurve {
  std::string name;
  std::vector<double> train_steps, train_errors;
  std::vector<double> valid_steps, valid_errors;
};

// Several runs in one chart with a colour each: training thin and light, validation thick; logarithmic
// errors.
Chart learning_chart(const std::vector<LearningCurve>& curves);

}  // namespace gcan::report
