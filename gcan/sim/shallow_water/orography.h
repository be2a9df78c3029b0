#pragma once

#include <vector>

#include "gcan/sim/shallow_water/gauss_legendre.h"
#include "gcan/sim/shallow_water/options.h"

namespace gcan::sim::shallow_water {

// Height of the ground on the grid, [latitude][longitude] from the north [m]. The mountain is truncated to
// the model's degrees; given heights are used unchanged.
std::vector<double> orography_on_grid(const Options& options, const GaussLegendre& rule);

}  // namespace gcan::sim::shallow_water
