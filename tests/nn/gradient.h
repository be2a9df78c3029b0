#pragma once

// Gradients against central differences, in double precision.

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "gcan/torch.h"

namespace gcan::test {

// Checks d(sum(f() * weights)) / d(input) for every input and entry, with fixed random weights. The inputs
// are leaves in double precision that require gradients; f reads them on each call.
inline void expect_gradients(const std::function<torch::Tensor()>& f,
                             const std::vector<torch::Tensor>& inputs, double tolerance = 1e-7,
                             double step = 1e-6) {
  torch::Tensor weights;
  const auto loss = [&] {
    const torch::Tensor y = f();
    if (!weights.defined()) {
      torch::manual_seed(7);
      weights = torch::randn_like(y.detach());
    }
    return (y * weights).sum();
  };
  for (const auto& input : inputs) {
    ASSERT_TRUE(input.requires_grad() && input.scalar_type() == torch::kDouble && input.is_contiguous());
    input.mutable_grad() = torch::Tensor();
  }
  loss().backward();
  torch::NoGradGuard no_grad;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const torch::Tensor gradient =
        inputs[k].grad().defined() ? inputs[k].grad().contiguous() : torch::zeros_like(inputs[k]);
    auto* values = inputs[k].data_ptr<double>();
    const auto* grads = gradient.data_ptr<double>();
    for (std::int64_t i = 0; i < inputs[k].numel(); ++i) {
      const double kept = values[i];
      values[i] = kept + step;
      const double above = loss().item<double>();
      values[i] = kept - step;
      const double below = loss().item<double>();
      values[i] = kept;
      const double expected = (above - below) / (2 * step);
      ASSERT_NEAR(grads[i], expected, tolerance * (1 + std::abs(expected)))
          << "input " << k << ", entry " << i;
    }
  }
}

}  // namespace gcan::test
