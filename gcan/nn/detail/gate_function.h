#pragma once

// The function behind MSiLU, by CPU kernels and by tensor operations.

#include <vector>

#include "gcan/kernels/gate.h"
#include "gcan/nn/detail/grades.h"
#include "gcan/torch.h"

namespace gcan::nn::detail {

// The gate with tensor operations, x (N, channels, blades, positions).
torch::Tensor gate_with_tensors(const torch::Tensor& x, const torch::Tensor& weight,
                                const torch::Tensor& bias, const Grades& parts);

// The same with the CPU kernels, with gradients; all tensors except x are contiguous.
torch::Tensor gate_by_kernel(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                             const Grades& parts);

// A kernel's view of a gate; it does not own the tensors' memory.
template <class T>
kernels::Gate<T> kernel_gate(const torch::Tensor& weight, const torch::Tensor& bias,
                             const std::vector<std::size_t>& part_of, std::int64_t space) {
  const auto size = [&](std::int64_t i) { return static_cast<std::size_t>(weight.size(i)); };
  return {size(0),           size(2), size(1), static_cast<std::size_t>(space), part_of, weight.data_ptr<T>(),
          bias.data_ptr<T>()};
}

}  // namespace gcan::nn::detail
