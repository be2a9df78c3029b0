#pragma once

#include <string>
#include <vector>

namespace gcan::report {

// A number of a rollout by lead step 1, 2, ..., or of a spectrum by wavenumber.
struct FluidCurve {
  std::string name;
  std::vector<double> values;
  bool reference = false;  // the truth, or a predictor that learns nothing: grey
};

// Charts of fluid networks as .png, .svg or .pdf. All are logarithmic upwards, so that a network that leaves
// the truth does not hide the others. Errors as draw_chart.

// Error by lead time [s]; the times are those of the longest curve, days where they are long.
//
//   draw_rollout_errors({{"GCA-UNet", errors}, {"persistence", others, true}}, times, "rollout.png");
void draw_rollout_errors(const std::vector<FluidCurve>& curves, const std::vector<double>& times,
                         const std::string& out);

// Kinetic energy by wavenumber, both axes logarithmic; the mean flow, wavenumber 0, is left out.
void draw_spectra(const std::vector<FluidCurve>& curves, const std::vector<double>& wavenumbers,
                  const std::string& out);

// Relative change of the mass since the start: its magnitude.
void draw_mass_drift(const std::vector<FluidCurve>& curves, const std::vector<double>& times,
                     const std::string& out);

// Enstrophy over that of the start, which is 1 plus the relative change: growing above 1, decaying below.
void draw_enstrophy(const std::vector<FluidCurve>& drifts, const std::vector<double>& times,
                    const std::string& out);

}  // namespace gcan::report
