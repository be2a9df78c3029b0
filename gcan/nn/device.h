#pragma once

// Modules on other devices than the CPU.

#include "gcan/torch.h"

namespace gcan::nn {

// Moves the parameters and buffers of a module to a device, as module.to(device) does. LibTorch 1.13 moves
// them between the CPU and the GPUs it knows alone; this moves them to `meta`, which has no memory, and to
// devices that a library of another vendor brings (PrivateUse1), too. Before an optimiser is made of the
// parameters.
//
//   gcan::nn::move_to(*network, torch::kCUDA);
void move_to(torch::nn::Module& module, const torch::Device& device);

// The device of a module's parameters: that of the first one; the CPU for a module without.
torch::Device device_of(const torch::nn::Module& module);

// Gives a tensor the numbers and the device of another, as tensor.set_data(values) does where LibTorch lets
// it. Whoever holds the tensor sees them.
void replace_data(const torch::Tensor& tensor, const torch::Tensor& values);

}  // namespace gcan::nn
