#pragma once

// Modules on devices other than the CPU.

#include "gcan/torch.h"

namespace gcan::nn {

// Moves the parameters and buffers of a module to a device, like module.to(device), which in LibTorch 1.13
// supports only the CPU and built-in GPU backends. This also moves them to `meta` and to third-party devices
// (PrivateUse1). Call it before creating an optimiser.
//
//   gcan::nn::move_to(*network, torch::kCUDA);
void move_to(torch::nn::Module& module, const torch::Device& device);

// The device of a module's first parameter; the CPU if there is none.
torch::Device device_of(const torch::nn::Module& module);

// Replaces the data and device of a tensor in place, like tensor.set_data(values), also between devices where
// LibTorch does not allow that.
void replace_data(const torch::Tensor& tensor, const torch::Tensor& values);

}  // namespace gcan::nn
