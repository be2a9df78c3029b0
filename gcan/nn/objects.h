#pragma once

#include <vector>

#include "gcan/algebra/algebra.h"

namespace gcan::nn {

// The blades that layers store unless told otherwise, the same for all of them so that they chain: those of
// points in a projective algebra (r = 1), else the vectors.
std::vector<Blade> default_objects(const Algebra& algebra);

}  // namespace gcan::nn
