#include "gcan/report/learning_curves.h"

namespace gcan::report {

Chart learning_chart(const std::vector<LearningCurve>& curves) {
  Chart chart{.x_label = "training step", .y_label = "error", .y_log = true};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const LearningCurve& curve = curves[i];
    const bool validated = !curve.valid_steps.empty() || !curve.valid_errors.empty();
    if (validated)
      chart.series.push_back({.name = curves.size() == 1 ? "validation" : curve.name,
                              .x = curve.valid_steps,
                              .y = curve.valid_errors,
                              .colour = i});
    if (curve.train_steps.empty() && curve.train_errors.empty()) continue;
    // The legend names each run once and explains thin lines at its end.
    const std::string thin = curves.size() == 1 ? "training" : i + 1 == curves.size() ? "thin: training" : "";
    chart.series.push_back({.name = validated ? thin : curve.name + ", training",
                            .page_name = curve.name + ", training",
                            .x = curve.train_steps,
                            .y = curve.train_errors,
                            .colour = i,
                            .faint = true});
  }
  if (curves.size() == 1) chart.title = curves.front().name;
  return chart;
}

}  // namespace gcan::report
