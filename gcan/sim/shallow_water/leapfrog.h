#pragma once

#include "gcan/sim/shallow_water/spectral_layout.h"

namespace gcan::sim::shallow_water {

// Prognostic fields at one time level.
template <typename T>
struct Level {
  explicit Level(const SpectralLayout& layout) : vorticity(layout), divergence(layout), eta(layout) {}
  SpectralField<T> vorticity;   // relative vorticity [1/s]
  SpectralField<T> divergence;  // [1/s]
  SpectralField<T> eta;         // surface displacement from the depth at rest [m]
};

// Spectral divergence and curl of the absolute vorticity flux, divergence of the mass flux, kinetic energy,
// all at the middle time level: two parts (real, imaginary) of layout.size numbers each.
template <typename T>
struct Tendencies {
  explicit Tendencies(const SpectralLayout& layout)
      : vorticity_divergence(layout), vorticity_curl(layout), mass_divergence(layout), kinetic(layout) {}
  SpectralField<T> vorticity_divergence;  // [1/s^2]
  SpectralField<T> vorticity_curl;        // [1/s^2]
  SpectralField<T> mass_divergence;       // [m/s]
  SpectralField<T> kinetic;               // [m^2/s^2]
};

// The constants of one step length. Arrays run over the rows of the layout and are zero (factors: one) at
// degree T + 1 and in padding, which therefore stay zero in every level.
template <typename T>
struct StepCoefficients {
  T step;               // 2 dt; dt / 2 and dt for the two starting steps [s]
  T implicit_step;      // xi = alpha * step [s]
  T mean_depth;         // H0 [m]
  T filter_old;         // nu a / 2 [1]; both zero for the starting steps
  T filter_new;         // nu (1 - a) / 2 [1]
  bool starting;        // the old level is kept
  Array<T> laplace;     // -l (l+1) / R^2 [1/m^2]
  Array<T> gravity;     // g * laplace [1/s^2 per m of eta: 1/(m s^2)]
  Array<T> implicit;    // 1 / (1 - xi^2 g H0 laplace) [1]
  Array<T> damping;     // diffusion and drag [1/s]
  Array<T> undamped;    // 1 / (1 + 2 dt damping) [1]
  Array<T> relaxation;  // rate towards the target of eta, zero for its area mean [1/s]
};

// Sums of squares of the new level's coefficients, to detect instability.
struct LevelNorms {
  double vorticity = 0;
  double divergence = 0;
  double eta = 0;
};

// One step of the semi-implicit leapfrog of Hoskins and Simmons with the Robert-Asselin-Williams filter:
//   N_zeta = -div(u (zeta + f)),  N_D = curl(u (zeta + f)) - lap(kinetic + g eta2),  N_eta = -div(u h)
//   G_D = N_D - g lap (eta1 - eta2),  G_eta = N_eta - H0 (D1 - D2)
//   dD = (G_D - xi g lap G_eta) / (1 - xi^2 g H0 lap),  deta = G_eta - xi H0 dD
//   zeta and D: t <- (t - d X1) / (1 + 2 dt d)
//   new = X1 + step t,  delta = X1 - 2 X2 + new,  X1 <- X2 + filter_old delta,  X2 <- new - filter_new delta
// `forcing` (vorticity, 1/s^2) and `target` (eta, m) may be null.
template <typename T>
struct StepInputs {
  const Tendencies<T>* tendencies;
  const SpectralField<T>* forcing;
  const SpectralField<T>* target;
};

LevelNorms leapfrog(const SpectralLayout& layout, const StepCoefficients<float>& coefficients,
                    const StepInputs<float>& inputs, Level<float>& old_level, Level<float>& new_level);
LevelNorms leapfrog(const SpectralLayout& layout, const StepCoefficients<double>& coefficients,
                    const StepInputs<double>& inputs, Level<double>& old_level, Level<double>& new_level);

}  // namespace gcan::sim::shallow_water
