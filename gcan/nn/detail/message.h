#pragma once

// Sums of messages on complete graphs without self loops, from terms of the nodes; the messages themselves
// are never stored. Features are (channels, blades, samples, points), contiguous.

#include "gcan/nn/msilu.h"

namespace gcan::nn::detail {

// y_i = sum_(j != i) gate(a_i + b_j), a and b (channels, blades, samples, points).
//
//   auto z = gcan::nn::detail::gated_messages(gate, a, b);    // (64, 3, 16, 32)
torch::Tensor gated_messages(const MSiLU& gate, const torch::Tensor& a, const torch::Tensor& b);
// The same with a and b in one tensor, as a single product with a layer's kernel leaves them
// (linear_function.h, Samples::groups): (channels, blades / n, 2, n, samples, points).
torch::Tensor gated_messages(const MSiLU& gate, const torch::Tensor& both);
// The same with tensor operations, for other devices and types.
torch::Tensor gated_messages_with_tensors(const MSiLU& gate, const torch::Tensor& a, const torch::Tensor& b);

// y_i = sum_(j != i) leaky(a_i + b_j + weight d_ji) with leaky(z) = z for z > 0, slope z below. a and b are
// (channels, samples, points), distance (samples, points j, points i), weight (channels); the last two may
// be undefined. 0 <= slope <= 1.
torch::Tensor leaky_messages(const torch::Tensor& a, const torch::Tensor& b, double slope,
                             const torch::Tensor& distance = {}, const torch::Tensor& weight = {});
torch::Tensor leaky_messages_with_tensors(const torch::Tensor& a, const torch::Tensor& b, double slope,
                                          const torch::Tensor& distance = {},
                                          const torch::Tensor& weight = {});

}  // namespace gcan::nn::detail
