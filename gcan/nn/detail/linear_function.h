#pragma once

// Fuses a linear layer's products with the assembly of their kernel, for float on the CPU. Separately,
// LibTorch's product would run on one thread pool and the assembly on another; here each thread assembles
// some rows of the kernel and multiplies by them at once, forward and backward.

#include "gcan/nn/detail/action_kernel.h"

namespace gcan::nn::detail {

// Whether the functions below support these tensors: float on the CPU, and gcan was built with oneDNN.
bool can_fuse(const torch::Tensor& x, const torch::Tensor& parameter);

// Maps x (N, in * blades / groups) to (N, out * blades * groups), with gradients of any order. `delta` is
// empty without constants, `bias` (out * blades) empty without bias. Error if a parameter is not finite.
torch::Tensor fused_linear(const ActionKernelPtr& self, const torch::Tensor& x, const torch::Tensor& action,
                           const torch::Tensor& weight, const torch::Tensor& delta, const torch::Tensor& bias,
                           const Samples& samples = {});

// x kernel^T + bias; the bias may be undefined. affine() has no gradients.
torch::Tensor affine(const torch::Tensor& x, const AssembledKernel& made, const Samples& samples = {});
torch::Tensor differentiable_affine(const torch::Tensor& x, const AssembledKernel& made,
                                    const Samples& samples = {});

}  // namespace gcan::nn::detail
