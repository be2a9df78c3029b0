#pragma once

// Logarithms of versors without a closed form.

#include "gcan/nn/tensor_algebra.h"

namespace gcan::nn::detail {

// The bivectors b with exp(b) = unit, for even versors of norm 1 in any algebra, computed one by one with the
// run-time algebra on the CPU. First and second derivatives are exact. Error for versors that are not
// exponentials.
MultivectorTensor versor_log(const MultivectorTensor& unit);

}  // namespace gcan::nn::detail
