#pragma once

// Helpers for tests of layers on features (N, channels, blades, space...).

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "gcan/torch.h"
#include "tests/nn/compare.h"
#include "tests/nn/message.h"

namespace gcan::test {

// The output and the gradients of the input and of all parameters, for a fixed random gradient of the output.
template <class Module>
std::vector<torch::Tensor> run(Module& module, const torch::Tensor& given,
                               const std::function<torch::Tensor(const torch::Tensor&)>& forward) {
  module->zero_grad();
  const torch::Tensor x = given.detach().requires_grad_();
  const torch::Tensor y = forward(x);
  torch::manual_seed(5);
  y.backward(torch::randn(y.sizes(), torch::kDouble).to(y.scalar_type()));
  std::vector<torch::Tensor> result{y.detach(), x.grad().clone()};
  for (const auto& parameter : module->parameters()) result.push_back(parameter.grad().clone());
  return result;
}

// Compares the kernels with tensor operations, values and gradients.
template <class Module>
void expect_same_function(Module& module, const torch::Tensor& x, double tolerance) {
  const auto ours = run(module, x, [&](const torch::Tensor& in) { return module->forward(in); });
  const auto plain =
      run(module, x, [&](const torch::Tensor& in) { return module->forward_with_tensors(in); });
  for (std::size_t i = 0; i < ours.size(); ++i) {
    std::string what = "shape ";
    what += std::to_string(x.dim()) + ", result " + std::to_string(i);
    expect_close(ours[i], plain[i], tolerance, what);
  }
}

// Random values for all parameters, instead of the initial ones.
template <class Module>
void randomize(Module& module, std::int64_t seed = 3) {
  torch::NoGradGuard no_grad;
  torch::manual_seed(static_cast<std::uint64_t>(seed));
  for (auto& parameter : module->parameters()) parameter.normal_();
}

// Shapes with no, one, two and three space dimensions, an empty batch, and batch 1; rows shorter than a
// vector, of odd length, and longer than a piece of the kernels.
inline std::vector<std::vector<std::int64_t>> shapes(std::int64_t channels, std::int64_t blades) {
  return {{5, channels, blades},      {1, channels, blades},        {0, channels, blades},
          {2, channels, blades, 7},   {3, channels, blades, 6, 7},  {1, channels, blades, 3, 5, 4},
          {2, channels, blades, 700}, {0, channels, blades, 20, 2}, {1, channels, blades, 1, 1}};
}

}  // namespace gcan::test
