#pragma once

// How long the group action layers take beside LibTorch's plain ones; part of the `layers` benchmark.

#include "bench/report.h"

namespace gcan::bench {

// Rows gca_linear_b64, gca_linear_b1024, gca_linear_eval_b64 and gca_conv2d_b8, and for each layer the memory
// that is held between forward and backward, besides input, output and parameters.
void report_actions(Report& report);

}  // namespace gcan::bench
