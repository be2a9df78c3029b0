#pragma once

// A graph network beside its edge-level form.

#include <functional>
#include <vector>

#include "tests/models/networks.h"
#include "tests/nn/compare.h"

namespace gcan::test {

// Values and the gradients of x and all parameters, in double precision.
inline void expect_same_as_by_edges(
    const models::NetworkPtr& network, const torch::Tensor& scene,
    const std::function<torch::Tensor(const models::Network&, const torch::Tensor&)>& by_edges) {
  using torch::Tensor;
  network->to(torch::kDouble);
  const Tensor x = scene.to(torch::kDouble).requires_grad_();
  std::vector<Tensor> inputs = network->parameters();
  inputs.push_back(x);
  const Tensor weights = torch::randn_like(network->forward(x).detach());
  const auto gradients = [&](const Tensor& y) {
    return torch::autograd::grad({(y * weights).sum()}, inputs, {}, {}, false, /*allow_unused=*/true);
  };
  const Tensor ours = network->forward(x), theirs = by_edges(*network, x);
  expect_close(ours, theirs, 1e-11, "values");
  const auto a = gradients(ours), b = gradients(theirs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_EQ(a[i].defined(), b[i].defined()) << i;
    if (a[i].defined()) expect_close(a[i], b[i], 1e-10, "gradient " + std::to_string(i));
  }
}

}  // namespace gcan::test
