#pragma once

// Divides the work on a layer's pairs among threads, by rows of the kernel. For callers of
// kernels::assemble_sandwich and kernels::sandwich_gradient.

#include <algorithm>

#include "gcan/nn/detail/action_kernel.h"
#include "gcan/nn/detail/parallel.h"

namespace gcan::nn::detail {

// Calls body(task, first row, last row) for parts of the rows, in parallel where it pays. The partition
// depends only on the number of threads, so results are reproducible.
template <class Body>
void for_row_ranges(std::int64_t rows, std::int64_t tasks, const Body& body) {
  parallel_for(static_cast<std::size_t>(tasks), 1, [&](std::size_t begin, std::size_t end) {
    for (auto t = static_cast<std::int64_t>(begin); t < static_cast<std::int64_t>(end); ++t) {
      body(t, rows * t / tasks, rows * (t + 1) / tasks);
    }
  });
}

template <class T>
kernels::SandwichInputs<T> sandwich_inputs(const ActionKernel& self, const torch::Tensor& action,
                                           const torch::Tensor& weight, const torch::Tensor& delta) {
  return {self.plan(),          self.layout(),        self.inverse(),
          action.data_ptr<T>(), weight.data_ptr<T>(), delta.numel() > 0 ? delta.data_ptr<T>() : nullptr};
}

// Error unless every task reported finite values.
inline void check_finite(const std::vector<char>& finite) {
  if (std::find(finite.begin(), finite.end(), 0) != finite.end()) {
    throw Error("has an action, weight or delta that is not finite (nan or infinity)");
  }
}

}  // namespace gcan::nn::detail
