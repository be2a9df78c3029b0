#pragma once

// gcan/nn: the layers, as LibTorch modules on top of gcan/algebra and gcan/kernels. Features are contiguous
// tensors (N, channels, blades, space...) with the blades that a layer stores. Data sets, training and
// complete networks do not belong in this folder.
//
// This header: error messages of layers, with the layer, what it got and what it expects.

#include <string>

#include "gcan/base/error.h"
#include "gcan/torch.h"

namespace gcan::nn::detail {

// "(2, 3, -1)"; -1 stands for any size and prints as *.
std::string shape_text(torch::IntArrayRef sizes);

// Error unless x is a floating-point tensor of sizes `expected`, where -1 matches any size. `layer` is the
// layer's pretty_print text.
void check_shape(const std::string& layer, const torch::Tensor& x, torch::IntArrayRef expected);

// Error unless the tensor is finite; names the layer and the tensor ("action", "input"). Only on the CPU:
// on other devices the host would have to wait, and training checks its losses and gradients anyway.
void check_finite(const std::string& layer, const std::string& what, const torch::Tensor& x);

}  // namespace gcan::nn::detail
