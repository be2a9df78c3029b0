#pragma once

#include <string>
#include <vector>

#include "gcan/report/chart.h"

namespace gcan::report {

// How the errors of one run fell. Training and validation may be measured at different steps; either may be
// empty.
struct LearningCurve {
  std::string name;
  std::vector<double> train_steps, train_errors;
  std::vector<double> valid_steps, valid_errors;
};

// Several runs in one chart, a colour each: training thin and light, validation thick. The error axis is
// logarithmic.
Chart learning_chart(const std::vector<LearningCurve>& curves);

}  // namespace gcan::report
