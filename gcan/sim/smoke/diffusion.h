#pragma once

#include "gcan/sim/smoke/state.h"

namespace gcan::sim::smoke {

// out = in + number * (sum of the four neighbours - 4 in) on all but the outer layer of the array, which
// counts as zero velocity: one explicit Euler step of viscosity, number = nu dt/dx^2 <= 1/4. The outer layer
// of `out` is not changed. Along a wall the layer of zeros lies half a cell behind it, as in the original
// data's solver, so friction acts as in a box one cell wider: first order there, second order inside.
template <class Real>
void diffuse(const Field<Real>& in, Real number, Field<Real>& out);

}  // namespace gcan::sim::smoke
