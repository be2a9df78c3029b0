#include "gcan/report/data_scaling.h"

#include <algorithm>
#include <set>

namespace gcan::report {

Chart scaling_chart(const std::vector<ScalingCurve>& curves, const std::vector<ConstantError>& trivial) {
  Chart chart{.x_label = "training trajectories", .y_label = "test error", .x_log = true, .y_log = true};
  std::set<double> ticks;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const ScalingCurve& curve = curves[i];
    ticks.insert(curve.trajectories.begin(), curve.trajectories.end());
    if (!curve.errors.empty())
      chart.series.push_back({.name = curve.name,
                              .x = curve.trajectories,
                              .y = curve.errors,
                              .colour = i,
                              .marker = Marker::filled});
    if (!curve.paper_errors.empty())
      chart.series.push_back({.name = curve.name + ", paper",
                              .x = curve.trajectories,
                              .y = curve.paper_errors,
                              .colour = i,
                              .marker = Marker::hollow,
                              .dashed = true});
  }
  for (std::size_t i = 0; i < trivial.size() && !ticks.empty(); ++i)
    chart.series.push_back({.name = trivial[i].name,
                            .x = {*ticks.begin(), *ticks.rbegin()},
                            .y = {trivial[i].error, trivial[i].error},
                            .colour = i,
                            .reference = true});
  chart.x_ticks.assign(ticks.begin(), ticks.end());
  return chart;
}

}  // namespace gcan::report
