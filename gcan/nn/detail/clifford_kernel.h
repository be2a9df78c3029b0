#pragma once

// Shared code of the Clifford layers of Brandstetter et al. 2022: sums of geometric products x w over the
// input channels as one ordinary matrix or convolution kernel on (N, channels * blades, space...).

#include "gcan/algebra/algebra.h"
#include "gcan/nn/detail/checks.h"

namespace gcan::nn::detail {

// The number of blades of a multivector of all grades.
std::int64_t blade_count(const Algebra& algebra);

// Converts weights (out, in, blades, space...) to the kernel (out * blades, in * blades, space...) of x ->
// sum_i x_i w_oi. The weight is on the right, as in the released layers.
torch::Tensor clifford_kernel(const Algebra& algebra, const torch::Tensor& weight);

// The same in one pass, for float or double weights on the CPU and kernels that autograd does not record.
// From weights (in, out, blades, space...) it makes the kernel (in * blades, out * blades, space...) of the
// transposed convolution. Error, naming `layer`, if the weight is not finite.
torch::Tensor fused_clifford_kernel(const std::string& layer, const Algebra& algebra,
                                    const torch::Tensor& weight, bool transposed);

// The gradient of the weight from the kernel's.
torch::Tensor clifford_weight_gradient(const Algebra& algebra, const torch::Tensor& weight,
                                       const torch::Tensor& kernel, bool transposed);

// The rotational kernel for quaternions, G(0,2,0): the scalar part of the product x w, and for the other
// three components the rotation w x ~w with w divided by sqrt(|w|^2 + 1e-4), times the scale (out, in,
// space...).
torch::Tensor clifford_rotation_kernel(const torch::Tensor& weight, const torch::Tensor& scale);

// Registers copies of a folded layer's weight and bias (which may be undefined) in the module.
void register_plain(torch::nn::Module& module, torch::Tensor& weight, torch::Tensor& bias);

// Uniform in +-1 / sqrt(fan_in), as in the released layers.
void clifford_init(torch::Tensor weight, std::int64_t fan_in);

// Error unless both channel counts are positive and divisible by the number of groups.
void check_channels(const std::string& layer, std::int64_t in, std::int64_t out, std::int64_t groups);

}  // namespace gcan::nn::detail
