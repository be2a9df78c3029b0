#include "gcan/nn/detail/winograd.h"

#include <gtest/gtest.h>

#include "tests/nn/compare.h"

namespace gcan::nn {
namespace winograd_test {

using torch::Tensor;

struct Case {
  std::int64_t samples, in, out, height, width;
  std::array<std::int64_t, 2> padding;
};

const Case kCases[] = {{1, 3, 5, 12, 16, {1, 1}}, {2, 4, 2, 13, 17, {1, 0}}, {1, 17, 33, 9, 70, {0, 1}},
                       {1, 2, 3, 3, 3, {0, 0}},   {1, 1, 1, 1, 1, {1, 1}},   {3, 2, 2, 7, 30, {2, 2}}};

// Against LibTorch's convolution in double, whatever the number of tiles.
TEST(Winograd, IsTheConvolutionAndItsGradients) {
  torch::manual_seed(1);
  for (const Case& c : kCases) {
    const Tensor x = torch::randn({c.samples, c.in, c.height, c.width});
    const Tensor kernel = torch::randn({c.out, c.in, 3, 3}), bias = torch::randn({c.out});
    const Tensor xd = x.to(torch::kDouble).requires_grad_();
    const Tensor kd = kernel.to(torch::kDouble).requires_grad_();
    const Tensor expected = torch::conv2d(xd, kd, bias.to(torch::kDouble), 1, c.padding);
    const Tensor slopes = torch::randn_like(expected).detach();
    expected.backward(slopes);
    test::expect_close(winograd(x, kernel, bias, c.padding).to(torch::kDouble), expected.detach(), 1e-5,
                       "output");
    const Tensor dy = slopes.to(torch::kFloat);
    test::expect_close(winograd_input_gradient(dy, kernel, c.padding).to(torch::kDouble), xd.grad(), 1e-5,
                       "input gradient");
    test::expect_close(winograd_kernel_gradient(dy, x, c.padding).to(torch::kDouble), kd.grad(), 1e-5,
                       "kernel gradient");
  }
}

// At the size of the paper's networks: relative to the size of the result, as an error of training counts.
TEST(Winograd, LosesLittleOnLargeSums) {
  torch::manual_seed(1);
  const Tensor x = torch::randn({1, 192, 48, 96}), kernel = torch::randn({192, 192, 3, 3});
  ASSERT_TRUE(has_winograd(x, kernel, {1, 1}));
  const Tensor exact = torch::conv2d(x.to(torch::kDouble), kernel.to(torch::kDouble), {}, 1, 1);
  const auto error = [&](const Tensor& y) {
    return ((y.to(torch::kDouble) - exact).norm() / exact.norm()).item<double>();
  };
  EXPECT_LT(error(winograd(x, kernel, {}, {1, 1})), 5e-6);
}

TEST(Winograd, IsForFloatAndForEnoughWork) {
  const Tensor x = torch::zeros({1, 64, 64, 64}), kernel = torch::zeros({64, 64, 3, 3});
  EXPECT_TRUE(has_winograd(x, kernel, {1, 1}));
  EXPECT_FALSE(has_winograd(x.to(torch::kDouble), kernel, {1, 1}));
  EXPECT_FALSE(has_winograd(x, torch::zeros({64, 64, 1, 1}), {0, 0}));
  EXPECT_FALSE(has_winograd(x.narrow(2, 0, 8), kernel, {1, 1}));
  EXPECT_FALSE(has_winograd(x, torch::zeros({3, 64, 3, 3}), {1, 1}));
}

}  // namespace winograd_test
}  // namespace gcan::nn
