#pragma once

// Compares group action layers with LibTorch's plain layers; part of the `layers` benchmark.

#include "bench/report.h"

namespace gcan::bench {

// Rows gca_linear_b64, gca_linear_b1024 and gca_linear_eval_b64 on points, and gca_linear_lines_b64,
// gca_linear_motors_b64 and gca_linear_g200_b64 on other objects; and the memory held between forward and
// backward, besides input, output and parameters.
void report_linear(Report& report);
// Row gca_conv2d_b8, and its memory.
void report_convolution(Report& report);

}  // namespace gcan::bench
