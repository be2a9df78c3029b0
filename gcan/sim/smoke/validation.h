#pragma once

#include <vector>

#include "gcan/sim/check.h"

namespace gcan::sim::smoke {

// Zero divergence to rounding and smoke within its first bounds, 64 steps of random smoke.
std::vector<Check> check_conservation();
// Uniform smoke without viscosity stays at rest; a mirrored start gives the mirrored flow.
std::vector<Check> check_symmetry();
// Order of each scheme against exact solutions: a blob in a steady eddy, a Gaussian that widens.
std::vector<Check> check_order();
// A float run compared with the double run of the same start.
std::vector<Check> check_float();

// All of the above; takes a few seconds.
std::vector<Check> validation_checks();

}  // namespace gcan::sim::smoke
