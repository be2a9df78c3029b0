#include "gcan/report/step_errors.h"

#include <algorithm>

namespace gcan::report {

Chart step_chart(const std::vector<StepErrors>& models, int first_step) {
  Chart chart{.x_label = "predicted step", .y_label = "error at the step", .y_log = true};
  std::size_t most = 0, colour = 0, dashes = 0;
  for (const StepErrors& model : models) {
    Series series{.name = model.name, .x = {}, .y = model.by_step};
    for (std::size_t i = 0; i < model.by_step.size(); ++i)
      series.x.push_back(first_step + static_cast<double>(i));
    series.reference = model.trivial;
    series.colour = model.trivial ? dashes++ : colour++;
    series.marker = model.trivial ? Marker::none : Marker::filled;
    most = std::max(most, series.x.size());
    chart.series.push_back(series);
  }
  constexpr std::size_t kNumbered = 16;  // more labels would overlap
  for (std::size_t i = 0; i < most && most <= kNumbered; ++i)
    chart.x_ticks.push_back(first_step + static_cast<double>(i));
  return chart;
}

}  // namespace gcan::report
