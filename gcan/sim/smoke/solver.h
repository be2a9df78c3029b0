#pragma once

#include "gcan/sim/smoke/options.h"
#include "gcan/sim/smoke/pressure.h"
#include "gcan/sim/smoke/state.h"

namespace gcan::sim::smoke {

// Advances one trajectory by time steps: advection of smoke and velocity with the old velocity, buoyancy of
// the advected smoke, explicit diffusion of velocity, pressure projection. First order in time. The scheme
// preserves zero divergence (to rounding), smoke within its first bounds, mirror symmetry in x, rest without
// buoyancy, uniform smoke. It does not conserve the total of smoke, because look-ups along the flow are not
// fluxes: over 64 steps of the paper's settings trajectories 0 to 3 of seed 0 lose 7 to 22 % (MacCormack 7 to
// 17 %). Nor does it preserve the equilibrium of uniform smoke with viscosity: diffusion precedes pressure,
// so buoyancy causes friction at the walls and a slow flow. The original data's solver does the same. An
// object has scratch memory: one per thread. Throws gcan::Error on options that validate() rejects.
//
//   Solver<double> solver(options);
//   State<double> state(options.cells);
//   random_smoke(options, 0, state.smoke);
//   for (int step = 0; step < 64; ++step) solver.step(state);
template <class Real>
class Solver {
 public:
  explicit Solver(const Options& options);
  void step(State<Real>& state);

 private:
  void diffuse_velocity(Field<Real>& in, Field<Real>& out) const;

  Options options_;
  PressureSolver<Real> pressure_;
  State<Real> moved_, scratch_;
};

// The name of a field of the state that holds an infinity or NaN, or null.
template <class Real>
const char* non_finite_field(const State<Real>& state);

}  // namespace gcan::sim::smoke
