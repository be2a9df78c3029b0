#pragma once

// What the Clifford layers of Brandstetter et al. 2022 share: sums of geometric products x w over the input
// channels, as one ordinary matrix or convolution kernel on (N, channels * blades, space...).

#include "gcan/algebra/algebra.h"
#include "gcan/nn/detail/checks.h"

namespace gcan::nn::detail {

// How many blades a multivector of all grades has.
std::int64_t blade_count(const Algebra& algebra);

// Weights (out, in, blades, space...) to the kernel (out * blades, in * blades, space...) of x -> sum_i x_i
// w_oi. The weight stands on the right, as in the released layers.
torch::Tensor clifford_kernel(const Algebra& algebra, const torch::Tensor& weight);

// The same in one pass over a weight of float or double on the CPU, for kernels that are not recorded; of
// weights (in, out, blades, space...) the kernel of the transposed convolution, (in * blades, out * blades,
// space...). Error of `layer` where the weight is not finite.
torch::Tensor fused_clifford_kernel(const std::string& layer, const Algebra& algebra,
                                    const torch::Tensor& weight, bool transposed);

// The gradient of its weight from that of the kernel.
torch::Tensor clifford_weight_gradient(const Algebra& algebra, const torch::Tensor& weight,
                                       const torch::Tensor& kernel, bool transposed);

// The rotational kernel for quaternions, G(0,2,0): the scalar part of the product x w, and of the other three
// components the rotation w x ~w with w divided by sqrt(|w|^2 + 1e-4), times the scale (out, in, space...).
torch::Tensor clifford_rotation_kernel(const torch::Tensor& weight, const torch::Tensor& scale);

// The weight and bias of a folded layer, which may have no bias, as copies that the module owns.
void register_plain(torch::nn::Module& module, torch::Tensor& weight, torch::Tensor& bias);

// Uniform with the bound 1 / sqrt(fan_in), as in the released layers.
void clifford_init(torch::Tensor weight, std::int64_t fan_in);

// Error unless both numbers of channels are positive and divisible by the number of groups.
void check_channels(const std::string& layer, std::int64_t in, std::int64_t out, std::int64_t groups);

}  // namespace gcan::nn::detail
