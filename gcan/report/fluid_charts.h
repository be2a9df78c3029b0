#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gcan/report/chart.h"

namespace gcan::report {

// Networks are coloured, the truth is dark, trivial predictors are grey and dotted.
enum class CurveKind { network, truth, trivial };

// A number of a rollout by lead step 1, 2, ..., or of a spectrum by wavenumber.
struct FluidCurve {
  std::string name;
  std::vector<double> values;
  CurveKind kind = CurveKind::network;
};

// The x axis of a chart.
struct LeadAxis {
  std::string label;
  std::vector<double> values;  // at least as many as the longest curve
};
// From lead times [s]; uses days if they are long.
LeadAxis lead_times(const std::vector<double>& seconds);
// Steps 1, 2, ..., if times are unknown.
LeadAxis lead_steps(std::size_t count);

// Charts of fluid networks, for draw_chart and for pages. All have logarithmic y axes, so that a diverging
// network does not hide the others. Error for a curve longer than its axis.

// Error by lead time.
//
//   draw_chart(rollout_error_chart({{"GCA-UNet", errors}, {"persistence", others, CurveKind::trivial}},
//                                  lead_steps(20)), "rollout.png");
Chart rollout_error_chart(const std::vector<FluidCurve>& curves, const LeadAxis& lead);

// A spectrum ("kinetic energy") on logarithmic axes. Omits wavenumber 0 and values below 1e-8 of the largest,
// which are rounding errors.
Chart spectrum_chart(const std::vector<FluidCurve>& curves, const std::vector<double>& wavenumbers,
                     const std::string& what);

// Drift of the mean of a scalar, which the equations may conserve, in standard deviations of the data. Omits
// a truth that drifts a thousand times less than every network.
Chart mass_drift_chart(const std::vector<FluidCurve>& curves, const LeadAxis& lead);

// Enstrophy relative to its initial value: above 1 growing, below 1 decaying.
Chart enstrophy_chart(const std::vector<FluidCurve>& drifts, const LeadAxis& lead);

}  // namespace gcan::report
