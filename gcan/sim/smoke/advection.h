#pragma once

#include "gcan/sim/smoke/options.h"
#include "gcan/sim/smoke/state.h"

namespace gcan::sim::smoke {

// Writes smoke and interior velocities of `old`, carried along the velocity of `old` for one step, into
// `moved`; reach = time_step/dx is the distance in cells that speed 1 covers. `scratch` is used by
// MacCormack only. The zero layers of `moved` and `scratch` must be zero and stay so. The three states must
// be different objects.
//
// Semi-Lagrangian: new(x) = old(x - dt v(x)) by bilinear interpolation. Smoke stays within its bounds (to
// rounding; it never becomes negative), but its total is not conserved.
// MacCormack (Selle et al., J. Sci. Comput. 35, 2008): with A the look-up backward along v and R the one
// forward, new = A s + (s - R A s)/2, limited to the four values the first look-up interpolated. The
// leading error of A, both of interpolation and of the straight path, is the same for R, so it cancels.
template <class Real>
void advect(Advection scheme, const State<Real>& old, Real reach, State<Real>& scratch, State<Real>& moved);

}  // namespace gcan::sim::smoke
