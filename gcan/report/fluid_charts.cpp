#include "gcan/report/fluid_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "gcan/base/error.h"
#include "gcan/report/chart.h"

namespace gcan::report {
namespace {

using Change = std::function<double(double)>;

void add_curves(Chart& chart, const std::vector<FluidCurve>& curves, const std::vector<double>& places,
                const Change& change) {
  constexpr std::size_t kDark = 6;  // of the chart's colours
  std::size_t colour = 0, dashes = 0;
  for (const FluidCurve& curve : curves) {
    if (curve.values.size() > places.size())
      throw Error(fmt::format("chart: '{}' has {} values, but there are {} places for them", curve.name,
                              curve.values.size(), places.size()));
    Series series{.name = curve.name, .x = {}, .y = {}};
    series.x.assign(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(curve.values.size()));
    for (const double value : curve.values) series.y.push_back(change(value));
    series.reference = curve.kind == CurveKind::trivial;
    series.colour = curve.kind == CurveKind::truth ? kDark : series.reference ? dashes++ : colour++;
    chart.series.push_back(series);
  }
}

void draw_over_time(const std::vector<FluidCurve>& curves, const LeadAxis& lead, const std::string& y,
                    const Change& change, const std::string& out) {
  Chart chart{.x_label = lead.label, .y_label = y, .y_log = true};
  add_curves(chart, curves, lead.values, change);
  draw_chart(chart, out);
}

double same(double value) { return value; }

// The largest magnitude that is finite.
double largest(const FluidCurve& curve) {
  double most = 0;
  for (const double value : curve.values)
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace

LeadAxis lead_times(const std::vector<double>& seconds) {
  constexpr double kDay = 86400;
  const bool days = !seconds.empty() && seconds.back() >= 2 * kDay;
  LeadAxis axis{days ? "lead time [days]" : "lead time [s]", seconds};
  for (double& time : axis.values) time /= days ? kDay : 1;
  return axis;
}

LeadAxis lead_steps(std::size_t count) {
  LeadAxis axis{"lead time [steps]", {}};
  for (std::size_t i = 1; i <= count; ++i) axis.values.push_back(static_cast<double>(i));
  return axis;
}

void draw_rollout_errors(const std::vector<FluidCurve>& curves, const LeadAxis& lead,
                         const std::string& out) {
  draw_over_time(curves, lead, "error of the step", same, out);
}

void draw_spectra(const std::vector<FluidCurve>& curves, const std::vector<double>& wavenumbers,
                  const std::string& what, const std::string& out) {
  Chart chart{.x_label = "wavenumber", .y_label = what, .x_log = true, .y_log = true};
  double most = 0;
  for (const FluidCurve& curve : curves) most = std::max(most, largest(curve));
  add_curves(chart, curves, wavenumbers,
             [&](double value) { return value < 1e-8 * most ? std::nan("") : value; });
  draw_chart(chart, out);
}

void draw_mass_drift(const std::vector<FluidCurve>& curves, const LeadAxis& lead, const std::string& out) {
  const auto magnitude = [](double value) { return std::abs(value); };
  double least = std::numeric_limits<double>::infinity();
  for (const FluidCurve& curve : curves)
    if (curve.kind == CurveKind::network) least = std::min(least, largest(curve));
  std::vector<FluidCurve> drawn = curves;
  if (std::isfinite(least))
    std::erase_if(drawn, [&](const FluidCurve& curve) {
      return curve.kind == CurveKind::truth && largest(curve) < 1e-3 * least;
    });
  draw_over_time(drawn, lead, "drift of the mean [deviations]", magnitude, out);
}

void draw_enstrophy(const std::vector<FluidCurve>& drifts, const LeadAxis& lead, const std::string& out) {
  const auto ratio = [](double drift) { return 1 + drift; };
  draw_over_time(drifts, lead, "enstrophy over its start", ratio, out);
}

}  // namespace gcan::report
