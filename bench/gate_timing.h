#pragma once

// The cost of the gate, the norm and both fused, compared with torch's GELU and GroupNorm.

#include "bench/report.h"

namespace gcan::bench {

// Adds the rows `msilu`, `gca_norm` and `norm_msilu` (forward and backward on (8, 64, 3, 96, 192), on the
// threads that torch has), and the memory that a forward pass retains until the backward pass.
void report_gates(Report& report);

}  // namespace gcan::bench
