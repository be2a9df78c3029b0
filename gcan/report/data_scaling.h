#pragma once

#include <string>
#include <vector>

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
// model. Ours are filled markers on solid lines, the paper's hollow ones on dashed lines. Error as
// draw_chart.
//
//   draw_data_scaling({{"MLP", {256, 1024}, {3.4, 1.5}, {4.51, 1.22}}}, {{"constant velocity", 0.13}},
//   "mlp.png");
void draw_data_scaling(const std::vector<ScalingCurve>& curves, const std::vector<ConstantError>& trivial,
                       const std::string& out);

}  // namespace gcan::report
