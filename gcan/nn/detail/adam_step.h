#pragma once

// Steps of kernels::AdamRule on tensors of LibTorch, by the CPU kernel on several threads or by tensor
// operations on any device.

#include <vector>

#include "gcan/kernels/adam.h"
#include "gcan/torch.h"

namespace gcan::nn::detail {

// Updates `count` elements on LibTorch's threads. Returns the sum of squares of the gradients, which does not
// depend on the number of threads.
template <class T>
double adam_update(const kernels::AdamRule& rule, const kernels::AdamTensor<T>& tensor, std::size_t count);

// Parameters of one device and type, with their gradients, moments and averages, in the same order.
// `averages` is empty without EMA.
struct AdamTensors {
  std::vector<torch::Tensor> parameters, gradients, means, squares, averages;
};

// A step by tensor operations, for devices without kernels of ours. `together` uses a few operations on lists
// of tensors (LibTorch's _foreach_) instead of thousands of small ones; otherwise one tensor at a time, which
// every device supports.
void adam_update(const kernels::AdamRule& rule, AdamTensors& tensors, bool together);

// The sum of the squares of all numbers, in double, on their device, without waiting for it.
torch::Tensor sum_of_squares(const std::vector<torch::Tensor>& tensors, bool together);

// Whether the device supports operations on lists of tensors. For third-party devices LibTorch 1.13 computes
// them on the CPU and does not copy the result back.
bool takes_lists(const torch::Device& device);

}  // namespace gcan::nn::detail
