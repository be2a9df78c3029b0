#pragma once

// The one convolution behind all convolutional layers: one whose kernel is made of parameters at each call
// and made again in the backward pass instead of being kept, with padding that may differ between dimensions
// and, if wanted, in bfloat16.

#include <functional>
#include <string>
#include <vector>

#include "gcan/nn/detail/action_kernel.h"
#include "gcan/nn/padding.h"

namespace gcan::nn {

// One number of each list per dimension of space.
struct ConvolutionSettings {
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> padding;
  std::vector<std::int64_t> dilation;
  std::vector<Padding> modes;
  std::int64_t groups = 1;
  // The transposed convolution; zeros or circular, and no dilation when circular.
  bool transposed = false;
  std::vector<std::int64_t> output_padding = {};
  // Input and kernel are rounded to bfloat16 for the convolution, and the result is float again: sums are
  // made in float by the hardware, the parameters stay what they are.
  bool bfloat16 = false;
};

// A function of tensors together with the parameters that it reads, which are leaves.
struct Recipe {
  std::vector<torch::Tensor> parameters;
  std::function<AssembledKernel()> make;
};

// What is done to the input before it is convolved, norm and activation for example: its result is made again
// in the backward pass and not kept. Nothing is done without a function.
struct Preparation {
  std::vector<torch::Tensor> parameters;
  std::function<torch::Tensor(const torch::Tensor&)> make;
};

// Error unless a transposed convolution makes `stride` points of the output of each point of the input
// wherever it is circular: on a closed circle there is no other way.
void check_circular(const std::string& layer, const ConvolutionSettings& settings,
                    const std::vector<std::int64_t>& kernel_size);

// The convolution of x, or of what `before` makes of x, with the kernel that `kernel` makes. x is (N,
// channels, space...) or (N, channels, blades, space...), whose result has blades as well. Where gradients
// are wanted, x, the parameters and kernels of up to 4 MB are all that is kept for them.
torch::Tensor convolve(const std::string& layer, const torch::Tensor& x, const ConvolutionSettings& settings,
                       const Recipe& kernel, const Preparation& before = {});

// The same with a kernel that is there: LibTorch's convolution between padding and cropping.
torch::Tensor convolve_with(const std::string& layer, const torch::Tensor& x,
                            const ConvolutionSettings& settings, const AssembledKernel& made);

}  // namespace gcan::nn
