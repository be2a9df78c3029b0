#pragma once

// gcan/nn: the layers, as LibTorch modules over gcan/algebra and gcan/kernels. Features are tensors
// (N, channels, blades, space...), contiguous, with the blades that a layer stores. No data sets, no training
// and no whole networks in this folder.
//
// This header: error messages of layers, which name the layer, what it got and what it expects.

#include <string>

#include "gcan/base/error.h"
#include "gcan/torch.h"

namespace gcan::nn::detail {

// "(2, 3, -1)"; -1 stands for any size and prints as *.
std::string shape_text(torch::IntArrayRef sizes);

// Error unless x is a floating-point tensor whose sizes are `expected`, where -1 is any size. `layer` is the
// layer as its pretty_print shows it.
void check_shape(const std::string& layer, const torch::Tensor& x, torch::IntArrayRef expected);

// Error unless the tensor is finite; names the layer and what the tensor is ("action", "input"). Only on the
// CPU: elsewhere the host would have to wait for the device, and a training looks at its losses and
// gradients.
void check_finite(const std::string& layer, const std::string& what, const torch::Tensor& x);

}  // namespace gcan::nn::detail
