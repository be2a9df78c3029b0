#pragma once

// 3x3 convolutions by Winograd's minimal filtering: a quarter of the multiplications of the plain sum, and
// about a digit less in float (see gcan/kernels/winograd.h).

#include <array>

#include "gcan/torch.h"

namespace gcan::nn {

// Whether it applies, and is the faster way: float on the CPU, 3x3, and so many channels and points that the
// products outweigh the transforms. x is (N, in, H, W), the kernel (out, in, 3, 3), neither dilated nor with
// a stride or groups. The environment variable GCAN_WINOGRAD=0 turns it off.
bool has_winograd(const torch::Tensor& x, const torch::Tensor& kernel, std::array<std::int64_t, 2> padding);

// torch::conv2d(x, kernel, bias, 1, padding), with zeros for padding.
torch::Tensor winograd(const torch::Tensor& x, const torch::Tensor& kernel, const torch::Tensor& bias,
                       std::array<std::int64_t, 2> padding);
// The gradients of x and of the kernel for that of the output.
torch::Tensor winograd_input_gradient(const torch::Tensor& dy, const torch::Tensor& kernel,
                                      std::array<std::int64_t, 2> padding);
torch::Tensor winograd_kernel_gradient(const torch::Tensor& dy, const torch::Tensor& x,
                                       std::array<std::int64_t, 2> padding);

}  // namespace gcan::nn
