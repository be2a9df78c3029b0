#pragma once

#include <cstdint>

#include "gcan/sim/smoke/options.h"
#include "gcan/sim/smoke/state.h"

namespace gcan::sim::smoke {

// The random smoke of the public data set: with standard normal a, b for every pair of wavenumbers n from
// -N/2 to N/2-1 and k = n/length*noise_scale,
//   noise = Re sum_n (a + i b) [k^2 > 0.1] (k^2)^-smoothness exp(2 pi i n.x/length),
// divided by its standard deviation, minus its mean; the smoke is its absolute value.
// The normal numbers belong to (seed, trajectory, n), see normal_pair(), and x is the cell's centre: the
// same seed gives the same picture on grids of different fineness, on every machine, in any order.
template <class Real>
void random_smoke(const Options& options, std::uint64_t trajectory, Field<Real>& smoke);

}  // namespace gcan::sim::smoke
