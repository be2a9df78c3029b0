#pragma once

#include <string>
#include <vector>

namespace gcan::report {

// The error of a model at each step it predicts.
struct StepErrors {
  std::string name;
  std::vector<double> by_step;
  bool trivial = false;  // a predictor that learns nothing, drawn in grey
};

// Error by prediction step, a line per model, on a logarithmic axis; steps count from `first_step`. Error as
// draw_chart.
//
//   draw_step_errors({{"GCA-MLP", {1e-4, 2e-4, 5e-4, 1e-3}}}, 5, "steps.png");
void draw_step_errors(const std::vector<StepErrors>& models, int first_step, const std::string& out);

}  // namespace gcan::report
