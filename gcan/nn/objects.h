#pragma once

#include <vector>

#include "gcan/algebra/algebra.h"

namespace gcan::nn {

// The default blades of all layers, so that they chain: points in a projective algebra (r = 1), else vectors.
std::vector<Blade> default_objects(const Algebra& algebra);

}  // namespace gcan::nn
