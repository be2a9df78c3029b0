#pragma once

// The function behind GcaNorm and NormMSiLU, by CPU kernels and by tensor operations. It keeps its input and
// a few statistics for the backward pass, and nothing between norm and gate.

#include "gcan/kernels/norm.h"
#include "gcan/nn/detail/grades.h"
#include "gcan/torch.h"

namespace gcan::nn::detail {

struct NormSettings {
  Grades grades;
  std::int64_t groups = 1;
  bool space = true;  // whether statistics run over space too, or are computed at every position
  kernels::Divisor divisor = kernels::Divisor::mean_norm;
  double eps = 0;
};

// weight (channels, grades); bias (channels, blades) or undefined. The gate as MSiLU gives it, or undefined.
struct NormTensors {
  torch::Tensor weight, bias, gate_weight, gate_bias;
};

// Whether norm_by_kernel takes x and the settings; if not, norm_with_tensors does.
bool has_norm_kernel(const torch::Tensor& x, const NormSettings& settings);

// Both take x as (N, channels, blades, space...). `gate` tells which gate a blade has.
torch::Tensor norm_by_kernel(const torch::Tensor& x, const NormTensors& tensors, const NormSettings& settings,
                             const Grades& gate);
torch::Tensor norm_with_tensors(const torch::Tensor& x, const NormTensors& tensors,
                                const NormSettings& settings, const Grades& gate);

}  // namespace gcan::nn::detail
