#pragma once

// The recipe of a convolution's kernel from group actions, in action_layer.cpp.

#include <string>

#include "gcan/nn/detail/action_kernel.h"

namespace gcan::nn::detail {

// delta and bias may be undefined; `title` names the layer in errors.
Recipe action_recipe(const ActionKernelPtr& kernel, const torch::Tensor& action, const torch::Tensor& weight,
                     const torch::Tensor& delta, const torch::Tensor& bias, const std::string& title);

}  // namespace gcan::nn::detail
