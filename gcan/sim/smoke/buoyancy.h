#pragma once

#include "gcan/sim/smoke/state.h"

namespace gcan::sim::smoke {

// Smoke lifts: velocity in y gains `gain` = time_step*buoyancy times the smoke at its face, the mean of the
// two cells beside it.
template <class Real>
void add_buoyancy(State<Real>& state, Real gain);

}  // namespace gcan::sim::smoke
