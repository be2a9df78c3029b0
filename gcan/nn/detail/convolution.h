#pragma once

// The one convolution behind all convolutional layers: one whose kernel is made of parameters at each call
// and made again in the backward pass instead of being kept, with padding that may differ between dimensions
// and, if wanted, in bfloat16.

#include <string>
#include <vector>

#include "gcan/nn/plain_kernel.h"

namespace gcan::nn::detail {

// Recipe::gradients of a layer whose parameters are kernel and bias themselves.
std::function<std::vector<torch::Tensor>(const torch::Tensor&, const torch::Tensor&)> gradients_of_itself(
    bool with_bias);

// Error unless a transposed convolution makes `stride` points of the output of each point of the input
// wherever it is circular: on a closed circle there is no other way.
void check_circular(const std::string& layer, const ConvolutionSettings& settings,
                    const std::vector<std::int64_t>& kernel_size);

// The convolution of x, or of what `before` makes of x, with the kernel that `kernel` makes, plus `add` of
// the result's shape unless that is undefined. x is (N, channels, space...) or (N, channels, blades,
// space...), whose result has blades as well. Where gradients are wanted, x, the parameters and kernels of up
// to 4 MB are all that is kept for them.
torch::Tensor convolve(const std::string& layer, const torch::Tensor& x, const ConvolutionSettings& settings,
                       const Recipe& kernel, const Preparation& before = {}, const torch::Tensor& add = {});

// The same with a kernel that is there: LibTorch's convolution between padding and cropping.
torch::Tensor convolve_with(const std::string& layer, const torch::Tensor& x,
                            const ConvolutionSettings& settings, const AssembledKernel& made,
                            const torch::Tensor& add = {});

}  // namespace gcan::nn::detail
