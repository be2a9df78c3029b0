#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gcan/report/chart.h"

namespace gcan::report {

// Networks have colours, the truth is dark, a predictor that learns nothing grey and dotted.
enum class CurveKind { network, truth, trivial };

// A number of a rollout by lead step 1, 2, ..., or of a spectrum by wavenumber.
struct FluidCurve {
  std::string name;
  std::vector<double> values;
  CurveKind kind = CurveKind::network;
};

// What lies below a chart.
struct LeadAxis {
  std::string label;
  std::vector<double> values;  // at least as many as the longest curve
};
// Lead times [s], in days where they are long.
LeadAxis lead_times(const std::vector<double>& seconds);
// Steps 1, 2, ... where times are not known.
LeadAxis lead_steps(std::size_t count);

// Charts of fluid networks, for draw_chart and for pages. All are logarithmic upwards, so that a network that
// leaves the truth does not hide the others. Error for a curve that is longer than its axis.

// Error by lead time.
//
//   draw_chart(rollout_error_chart({{"GCA-UNet", errors}, {"persistence", others, CurveKind::trivial}},
//                                  lead_steps(20)), "rollout.png");
Chart rollout_error_chart(const std::vector<FluidCurve>& curves, const LeadAxis& lead);

// Something by wavenumber ("kinetic energy"), both axes logarithmic. Left out are the mean, which is
// wavenumber 0, and what is less than a hundred-millionth of the largest value: rounding.
Chart spectrum_chart(const std::vector<FluidCurve>& curves, const std::vector<double>& wavenumbers,
                     const std::string& what);

// How far the mean of a scalar, which the equations may keep, has moved, in deviations of the data. A truth
// that moves a thousand times less than every network is left out: it would take all the room.
Chart mass_drift_chart(const std::vector<FluidCurve>& curves, const LeadAxis& lead);

// Enstrophy over that of the start, which is 1 plus the relative change: growing above 1, decaying below.
Chart enstrophy_chart(const std::vector<FluidCurve>& drifts, const LeadAxis& lead);

}  // namespace gcan::report
