#pragma once

// Two linear layers with nothing between them, for float on the CPU: outer(h, inner(s)). With
// outer = (O_h, O_m), this is O_h h + (O_m I) s: multiplying the kernels first saves a product with every
// column, forward and backward.

#include <string>

#include "gcan/nn/detail/action_kernel.h"

namespace gcan::nn::detail {

struct LinearLayer {
  std::string title;  // for errors
  ActionKernelPtr kernel;
  // Contiguous; `delta` is empty without constants, `bias` (outputs) empty without bias.
  torch::Tensor action, weight, delta, bias;
};

// Whether the kernels' product takes fewer multiplications than it saves.
bool joining_pays(const LinearLayer& outer, const LinearLayer& inner, std::int64_t columns);

// h (features, columns) and s (inner's inputs, columns) to (outputs, columns), with gradients of any order.
// The first `biased` columns get the biases, inner's times `inner_bias_weight`.
torch::Tensor joined_linear(const LinearLayer& outer, const torch::Tensor& h, const LinearLayer& inner,
                            const torch::Tensor& s, std::int64_t biased, double inner_bias_weight);

}  // namespace gcan::nn::detail
