#pragma once

#include <string>
#include <vector>

namespace gcan::report {

// How the errors of one run fell. Training and validation may be measured at different steps; either may be
// empty.
struct LearningCurve {
  std::string name;
  std::vector<double> train_steps, train_errors;
  std::vector<double> valid_steps, valid_errors;
};

// Several runs in one picture, a colour each: training thin and light, validation thick. The error axis is
// logarithmic. Error as draw_chart.
//
//   draw_learning_curves({{"MLP", steps, losses, valid_steps, valid_losses}}, "learning.png");
void draw_learning_curves(const std::vector<LearningCurve>& curves, const std::string& out);

}  // namespace gcan::report
