#pragma once

// The convolution behind all convolutional layers. Its kernel is made from parameters at each call and made
// again in the backward pass instead of being stored. The padding mode may differ between dimensions, and
// the arithmetic may be bfloat16.

#include <string>
#include <vector>

#include "gcan/nn/plain_kernel.h"

namespace gcan::nn::detail {

// Recipe::gradients for a layer whose parameters are the kernel and bias themselves.
std::function<std::vector<torch::Tensor>(const torch::Tensor&, const torch::Tensor&)> gradients_of_itself(
    bool with_bias);

// Error unless a transposed convolution's output is `stride` times its input along every circular
// dimension: a closed circle admits no other size.
void check_circular(const std::string& layer, const ConvolutionSettings& settings,
                    const std::vector<std::int64_t>& kernel_size);

// The convolution of x, or of what `before` makes of x, with the kernel that `kernel` makes, plus `add` if
// it is defined (of the result's shape). x is (N, channels, space...), or (N, channels, blades, space...),
// whose result has blades too. Only x, the parameters and kernels of up to 4 MB are saved for the backward
// pass.
torch::Tensor convolve(const std::string& layer, const torch::Tensor& x, const ConvolutionSettings& settings,
                       const Recipe& kernel, const Preparation& before = {}, const torch::Tensor& add = {});

// The same with a given kernel: LibTorch's convolution between padding and cropping.
torch::Tensor convolve_with(const std::string& layer, const torch::Tensor& x,
                            const ConvolutionSettings& settings, const AssembledKernel& made,
                            const torch::Tensor& add = {});

}  // namespace gcan::nn::detail
