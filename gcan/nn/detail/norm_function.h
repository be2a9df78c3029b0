#pragma once

// The function behind GcaNorm and NormMSiLU, with CPU kernels and with tensor operations. For the backward
// pass it saves its input and a few statistics, but nothing between norm and gate.

#include "gcan/kernels/norm.h"
#include "gcan/nn/detail/grades.h"
#include "gcan/torch.h"

namespace gcan::nn::detail {

struct NormSettings {
  Grades grades;
  std::int64_t groups = 1;
  bool space = true;  // whether statistics include space, or are separate at every position
  kernels::Divisor divisor = kernels::Divisor::mean_norm;
  double eps = 0;
};

// weight (channels, grades); bias (channels, blades) or undefined. The gate's parameters as in MSiLU, or
// undefined.
struct NormTensors {
  torch::Tensor weight, bias, gate_weight, gate_bias;
};

// Whether norm_by_kernel supports x and the settings; otherwise use norm_with_tensors.
bool has_norm_kernel(const torch::Tensor& x, const NormSettings& settings);

// Both take x as (N, channels, blades, space...). `gate` maps blades to gates.
torch::Tensor norm_by_kernel(const torch::Tensor& x, const NormTensors& tensors, const NormSettings& settings,
                             const Grades& gate);
torch::Tensor norm_with_tensors(const torch::Tensor& x, const NormTensors& tensors,
                                const NormSettings& settings, const Grades& gate);

}  // namespace gcan::nn::detail
