#pragma once

#include <vector>

#include "gcan/kernels/adam.h"
#include "gcan/torch.h"

namespace gcan::train {

// Parameters of one device and type and what belongs to them, one after the other. No averages: none is kept.
struct AdamTensors {
  std::vector<torch::Tensor> parameters, gradients, means, squares, averages;
};

// A step of kernels::AdamRule by tensor operations, for devices that our kernels do not reach. `together`: a
// few operations on all tensors at once (LibTorch's _foreach_), which spares a GPU thousands of small ones;
// else one by one, which every device can.
void adam_update(const kernels::AdamRule& rule, AdamTensors& tensors, bool together);

// The sum of the squares of all numbers, in double, on their device: nothing waits for it.
torch::Tensor sum_of_squares(const std::vector<torch::Tensor>& tensors, bool together);

// Whether the device has operations on lists of tensors. LibTorch 1.13 sends those of a device of another
// vendor to the CPU and forgets to bring the result back.
bool takes_lists(const torch::Device& device);

}  // namespace gcan::train
