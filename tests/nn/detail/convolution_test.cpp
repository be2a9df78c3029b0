#include "gcan/nn/detail/convolution.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "gcan/base/error.h"
#include "gcan/nn/detail/cpu_convolution.h"
#include "tests/nn/compare.h"
#include "tests/nn/gradient.h"

namespace gcan::nn::detail {
namespace convolution_test {

using torch::Tensor;

Tensor leaf(torch::IntArrayRef sizes) {
  return torch::randn(sizes, torch::TensorOptions(torch::kDouble).requires_grad(true));
}

Recipe recipe_of(const Tensor& kernel, const Tensor& bias) {
  return {{kernel, bias}, [=] { return AssembledKernel{kernel * kernel, bias}; }};
}

ConvolutionSettings settings_of(std::int64_t stride, std::int64_t padding, std::array<Padding, 2> modes,
                                bool transposed = false) {
  return {{stride, stride}, {padding, padding}, {1, 1}, {modes.begin(), modes.end()}, 1, transposed};
}

TEST(Convolution, GradientsOfAllInputs) {
  torch::manual_seed(1);
  for (const bool transposed : {false, true}) {
    const std::int64_t size = transposed ? 4 : 3;
    const auto settings = settings_of(2, 1, {Padding::zeros, Padding::circular}, transposed);
    const Tensor x = leaf({2, 2, 4, 6}), kernel = leaf({2, 2, size, size}), bias = leaf({2}),
                 w = leaf({2, 1, 1});
    const Preparation before{{w}, [w](const Tensor& h) { return torch::tanh(h * w); }};
    const auto run = [&] { return convolve("layer", x, settings, recipe_of(kernel, bias), before); };
    test::expect_gradients(run, {x, kernel, bias, w});
    const auto slope = [&] {
      const torch::AutoGradMode with_gradients(true);
      return torch::autograd::grad({run().square().sum()}, {x}, {}, true, true)[0];
    };
    test::expect_gradients(slope, {x, kernel, w}, 1e-5);
    const Tensor direct = convolve_with("layer", before.make(x), settings, recipe_of(kernel, bias).make());
    test::expect_close(run(), direct, 1e-13, "value");
  }
}

// The addend, for recipes with and without gradient functions, with and without a preparation.
TEST(Convolution, AddsAndUsesTheRecipesGradients) {
  torch::manual_seed(2);
  const auto settings = settings_of(1, 1, {Padding::zeros, Padding::circular});
  const Tensor x = leaf({2, 2, 4, 6}), kernel = leaf({3, 2, 3, 3}), bias = leaf({3}), w = leaf({2, 1, 1}),
               add = leaf({2, 3, 4, 6});
  const Recipe plain{{kernel, bias}, [=] { return AssembledKernel{kernel, bias}; }};
  Recipe known = plain;
  known.gradients = gradients_of_itself(true);
  const Preparation before{{w}, [w](const Tensor& h) { return torch::tanh(h * w); }};
  for (const Recipe& recipe : {plain, known}) {
    for (const Preparation& first : {before, Preparation()}) {
      const auto run = [&] { return convolve("layer", x, settings, recipe, first, add); };
      const Tensor h = first.make ? first.make(x) : x;
      test::expect_close(run(), convolve("layer", h, settings, recipe) + add, 1e-13, "value");
      test::expect_close(convolve_with("layer", h, settings, {kernel, bias}, add), run(), 1e-13, "value");
      std::vector<Tensor> inputs{x, kernel, bias, add};
      if (first.make) inputs.push_back(w);
      test::expect_gradients(run, inputs);
      const auto slope = [&] {
        const torch::AutoGradMode with_gradients(true);
        return torch::autograd::grad({run().square().sum()}, {x}, {}, true, true)[0];
      };
      test::expect_gradients(slope, inputs, 1e-5);
    }
  }
}

TEST(Convolution, AddsInFloatWithEveryAlgorithm) {
  torch::manual_seed(3);
  const torch::NoGradGuard no_grad;
  const Tensor x = torch::randn({2, 8, 16, 20}), add = torch::randn({2, 10, 16, 20});
  const AssembledKernel made{torch::randn({10, 8, 3, 3}), torch::randn({10})};
  const auto settings = settings_of(1, 1, {Padding::zeros, Padding::circular});
  for (const auto way : {ConvolutionWay::libtorch, ConvolutionWay::direct, ConvolutionWay::winograd}) {
    const ConvolutionWayGuard guard(way);
    const Tensor expected = convolve_with("layer", x, settings, made) + add;
    test::expect_close(convolve_with("layer", x, settings, made, add), expected, 1e-5, to_string(way));
  }
}

// The transposed convolution is the adjoint of the convolution, also with circular padding.
TEST(Convolution, TransposedIsTheAdjoint) {
  torch::manual_seed(1);
  const torch::NoGradGuard no_grad;
  for (const Padding mode : {Padding::zeros, Padding::circular}) {
    const Tensor kernel = torch::randn({3, 2, 4, 4}, torch::kDouble);
    const Tensor x = torch::randn({1, 2, 8, 12}, torch::kDouble);
    const Tensor y = torch::randn({1, 3, 4, 6}, torch::kDouble);
    const auto there = convolve_with("layer", x, settings_of(2, 1, {mode, mode}), {kernel, {}});
    const auto back = convolve_with("layer", y, settings_of(2, 1, {mode, mode}, true), {kernel, {}});
    EXPECT_NEAR((there * y).sum().item<double>(), (back * x).sum().item<double>(), 1e-10);
  }
}

// oneDNN reads this on first use: it would use AMX for bfloat16, which not every machine allows.
const int kNoAmx = setenv("DNNL_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);

TEST(Convolution, BFloat16KeepsFloatOutside) {
  ASSERT_EQ(kNoAmx, 0);
  torch::manual_seed(1);
  auto settings = settings_of(1, 1, {Padding::zeros, Padding::zeros});
  const Tensor x = torch::randn({1, 4, 8, 8}).requires_grad_(), bias = torch::randn({4}).requires_grad_();
  const Tensor kernel = torch::randn({4, 4, 3, 3}).requires_grad_();
  const Tensor exact = convolve("layer", x, settings, recipe_of(kernel, bias));
  settings.bfloat16 = true;
  const Tensor y = convolve("layer", x, settings, recipe_of(kernel, bias));
  EXPECT_EQ(y.scalar_type(), torch::kFloat);
  EXPECT_LT(((y - exact).norm() / exact.norm()).item<double>(), 0.02);
  y.sum().backward();
  EXPECT_EQ(kernel.grad().scalar_type(), torch::kFloat);
}

TEST(Convolution, ImpossibleCircularShapesAreErrors) {
  const Tensor x = torch::zeros({1, 1, 2, 2}, torch::kDouble);
  const AssembledKernel made{torch::zeros({1, 1, 7, 7}, torch::kDouble), {}};
  EXPECT_THROW(convolve_with("layer", x, settings_of(1, 3, {Padding::circular, Padding::circular}), made),
               Error);
  EXPECT_THROW(convolve_with("layer", x, settings_of(1, 2, {Padding::reflect, Padding::zeros}), made), Error);
  const auto transposed = settings_of(2, 1, {Padding::circular, Padding::zeros}, true);
  EXPECT_NO_THROW(check_circular("layer", transposed, {4, 4}));
  EXPECT_THROW(check_circular("layer", transposed, {3, 3}), Error);
  EXPECT_THROW(check_circular("layer", settings_of(2, 1, {Padding::reflect, Padding::zeros}, true), {4, 4}),
               Error);
}

}  // namespace convolution_test
}  // namespace gcan::nn::detail
