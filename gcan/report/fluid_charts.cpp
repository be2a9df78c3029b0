#include "gcan/report/fluid_charts.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "gcan/algebra/error.h"
#include "gcan/report/chart.h"

namespace gcan::report {
namespace {

using Change = std::function<double(double)>;

void add_curves(Chart& chart, const std::vector<FluidCurve>& curves, const std::vector<double>& places,
                const Change& change) {
  std::size_t colour = 0, dashes = 0;
  for (const FluidCurve& curve : curves) {
    if (curve.values.size() > places.size())
      throw Error(fmt::format("chart: '{}' has {} values, but there are {} places for them", curve.name,
                              curve.values.size(), places.size()));
    Series series{.name = curve.name, .x = {}, .y = {}};
    series.x.assign(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(curve.values.size()));
    for (const double value : curve.values) series.y.push_back(change(value));
    series.reference = curve.reference;
    series.colour = curve.reference ? dashes++ : colour++;
    chart.series.push_back(series);
  }
}

// Over the lead time, in days from two days on.
void draw_over_time(const std::vector<FluidCurve>& curves, std::vector<double> times, const std::string& y,
                    const Change& change, const std::string& out) {
  constexpr double kDay = 86400;
  const bool days = !times.empty() && times.back() >= 2 * kDay;
  for (double& time : times) time /= days ? kDay : 1;
  Chart chart{.x_label = days ? "lead time [days]" : "lead time [s]", .y_label = y, .y_log = true};
  add_curves(chart, curves, times, change);
  draw_chart(chart, out);
}

double same(double value) { return value; }

}  // namespace

void draw_rollout_errors(const std::vector<FluidCurve>& curves, const std::vector<double>& times,
                         const std::string& out) {
  draw_over_time(curves, times, "error of the step", same, out);
}

void draw_spectra(const std::vector<FluidCurve>& curves, const std::vector<double>& wavenumbers,
                  const std::string& out) {
  Chart chart{.x_label = "wavenumber", .y_label = "kinetic energy", .x_log = true, .y_log = true};
  add_curves(chart, curves, wavenumbers, same);
  draw_chart(chart, out);
}

void draw_mass_drift(const std::vector<FluidCurve>& curves, const std::vector<double>& times,
                     const std::string& out) {
  draw_over_time(
      curves, times, "relative change of the mass", [](double value) { return std::abs(value); }, out);
}

void draw_enstrophy(const std::vector<FluidCurve>& drifts, const std::vector<double>& times,
                    const std::string& out) {
  draw_over_time(
      drifts, times, "enstrophy over its start", [](double value) { return 1 + value; }, out);
}

}  // namespace gcan::report
