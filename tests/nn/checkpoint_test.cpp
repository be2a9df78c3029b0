#include "gcan/nn/checkpoint.h"

#include <gtest/gtest.h>

#include "tests/nn/gradient.h"

namespace gcan::nn {
namespace checkpoint_test {

torch::Tensor leaf(torch::IntArrayRef sizes) {
  return torch::randn(sizes, torch::TensorOptions(torch::kDouble).requires_grad(true));
}

TEST(Checkpoint, GradientsAndSecondDerivatives) {
  torch::manual_seed(1);
  const auto x = leaf({3, 4}), w = leaf({4, 4});
  const auto f = [&](const torch::Tensor& in) { return torch::tanh(in.matmul(w)).matmul(w); };
  test::expect_gradients([&] { return checkpoint(f, {w}, x); }, {x, w});
  const auto slope = [&] {
    const torch::AutoGradMode with_gradients(true);
    const auto y = checkpoint(f, {w}, x).square().sum();
    return torch::autograd::grad({y}, {x}, {}, true, true)[0];
  };
  test::expect_gradients(slope, {x, w}, 1e-6);
}

TEST(Checkpoint, RunsTwiceInTrainingAndOnceWithoutGradients) {
  int runs = 0;
  const auto x = leaf({2});
  const auto f = [&](const torch::Tensor& in) {
    ++runs;
    return in.exp();
  };
  checkpoint(f, {}, x).sum().backward();
  EXPECT_EQ(runs, 2);
  const torch::NoGradGuard no_grad;
  checkpoint(f, {}, x);
  EXPECT_EQ(runs, 3);
}

}  // namespace checkpoint_test
}  // namespace gcan::nn
