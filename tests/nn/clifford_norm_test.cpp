#include "gcan/nn/clifford_norm.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/nn/clifford.h"
#include "tests/nn/gradient.h"

namespace gcan::nn {
namespace clifford_norm_test {

torch::Tensor random(torch::IntArrayRef sizes) { return torch::randn(sizes, torch::kDouble); }

// Correlated components that are not centred.
torch::Tensor correlated(std::int64_t batch, std::int64_t channels, std::int64_t blades, std::int64_t space) {
  return torch::matmul(random({blades, blades}), random({batch, channels, blades, space})) +
         random({blades, 1});
}

void expect_white(const torch::Tensor& samples, double tolerance) {
  const std::int64_t blades = samples.size(0);
  const auto centred = samples - samples.mean(1, true);
  const auto covariance = torch::matmul(centred, centred.t()) / static_cast<double>(samples.size(1));
  EXPECT_LE(samples.mean(1).abs().max().item<double>(), 1e-12);
  EXPECT_LE((covariance - torch::eye(blades, torch::kDouble)).abs().max().item<double>(), tolerance);
}

template <class Layer>
void randomize(Layer& layer) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : layer->parameters()) parameter.copy_(torch::randn_like(parameter));
}

TEST(CliffordBatchNorm, WhitensEachChannel) {
  torch::manual_seed(1);
  for (const Algebra& algebra : test::small_algebras()) {
    auto norm = CliffordBatchNorm(CliffordBatchNormOptions(algebra, 3).eps(1e-14));
    norm->to(torch::kDouble);
    const auto y = norm(correlated(5, 3, detail::blade_count(algebra), 20));
    for (std::int64_t c = 0; c < 3; ++c) expect_white(y.select(1, c).transpose(0, 1).flatten(1), 1e-8);
  }
}

TEST(CliffordBatchNorm, EvaluationUsesTheRunningStatistics) {
  torch::manual_seed(2);
  auto norm = CliffordBatchNorm(CliffordBatchNormOptions(Algebra(2), 2).momentum(1));
  norm->to(torch::kDouble);
  const auto x = correlated(6, 2, 4, 5);
  const auto trained = norm(x);
  norm->eval();
  EXPECT_TRUE(torch::allclose(norm(x), trained));
  // One sample at a time gives the same.
  EXPECT_TRUE(torch::allclose(norm(x.slice(0, 0, 1)), trained.slice(0, 0, 1)));
  auto untracked = CliffordBatchNorm(CliffordBatchNormOptions(Algebra(2), 2).track_running_stats(false));
  untracked->to(torch::kDouble);
  untracked->eval();
  EXPECT_TRUE(torch::allclose(untracked(x), trained));
}

TEST(CliffordBatchNorm, AffinePartIsAMatrixAndABias) {
  auto plain = CliffordBatchNorm(CliffordBatchNormOptions(Algebra(2), 2).affine(false));
  auto affine = CliffordBatchNorm(CliffordBatchNormOptions(Algebra(2), 2));
  affine->to(torch::kDouble);
  plain->to(torch::kDouble);
  randomize(affine);
  EXPECT_TRUE(plain->parameters().empty());
  const auto x = correlated(4, 2, 4, 3);
  EXPECT_TRUE(
      torch::allclose(affine(x), torch::matmul(affine->weight, plain(x)) + affine->bias.unsqueeze(-1)));
  affine->reset_parameters();
  EXPECT_TRUE(torch::allclose(affine(x), plain(x)));
}

TEST(CliffordGroupNorm, WhitensEachGroupOfEachSample) {
  torch::manual_seed(3);
  for (const std::int64_t groups : {1, 2, 4}) {
    auto norm = CliffordGroupNorm(CliffordGroupNormOptions(Algebra(0, 2), groups, 4).eps(1e-14));
    norm->to(torch::kDouble);
    const auto y = norm(correlated(2, 4, 4, 15));
    const std::int64_t size = 4 / groups;
    for (std::int64_t g = 0; g < groups; ++g) {
      expect_white(y[1].narrow(0, g * size, size).transpose(0, 1).flatten(1), 1e-8);
    }
  }
}

TEST(CliffordNorm, Gradients) {
  torch::manual_seed(4);
  const auto x = correlated(3, 4, 4, 2).contiguous().requires_grad_();
  const auto check = [&](auto layer) {
    layer->to(torch::kDouble);
    randomize(layer);
    auto inputs = layer->parameters();
    inputs.push_back(x);
    test::expect_gradients([&] { return layer(x); }, inputs, 1e-5);
  };
  for (const bool affine : {true, false}) {
    check(
        CliffordBatchNorm(CliffordBatchNormOptions(Algebra(2), 4).affine(affine).track_running_stats(false)));
    for (const std::int64_t groups : {1, 2}) {
      check(CliffordGroupNorm(CliffordGroupNormOptions(Algebra(2), groups, 4).affine(affine)));
    }
  }
  auto evaluated = CliffordBatchNorm(CliffordBatchNormOptions(Algebra(2), 4));
  evaluated->eval();
  check(evaluated);
}

TEST(CliffordGroupNorm, AndGeluIsGeluOfItsResult) {
  torch::manual_seed(5);
  for (const Algebra& algebra : {Algebra(1), Algebra(2), Algebra(3)}) {
    auto norm = CliffordGroupNorm(CliffordGroupNormOptions(algebra, 2, 4));
    norm->to(torch::kDouble);
    randomize(norm);
    const auto x = correlated(2, 4, detail::blade_count(algebra), 7).contiguous().requires_grad_();
    EXPECT_TRUE(torch::allclose(norm->forward_and_gelu(x), torch::gelu(norm(x)), 1e-12, 1e-13));
    auto inputs = norm->parameters();
    inputs.push_back(x);
    test::expect_gradients([&] { return norm->forward_and_gelu(x); }, inputs, 1e-5);
  }
}

// In float the kernel has a gelu of its own; values and gradients against double.
TEST(CliffordGroupNorm, AndGeluInFloat) {
  torch::manual_seed(6);
  auto norm = CliffordGroupNorm(CliffordGroupNormOptions(Algebra(2), 1, 3));
  auto exact = CliffordGroupNorm(CliffordGroupNormOptions(Algebra(2), 1, 3));
  const auto x = (5 * torch::randn({2, 3, 4, 9, 37})).requires_grad_();
  const auto xd = x.detach().to(torch::kDouble).requires_grad_();
  exact->to(torch::kDouble);
  {
    const torch::NoGradGuard no_grad;
    norm->weight.copy_(torch::randn_like(norm->weight));
    norm->bias.copy_(torch::randn_like(norm->bias));
    exact->weight.copy_(norm->weight);
    exact->bias.copy_(norm->bias);
  }
  const auto y = norm->forward_and_gelu(x), yd = torch::gelu(exact(xd));
  EXPECT_LE((y - yd).abs().max().item<double>(), 3e-6);
  const auto dy = torch::randn_like(yd);
  y.backward(dy.to(torch::kFloat));
  yd.backward(dy);
  const auto expect_near = [](const torch::Tensor& found, const torch::Tensor& expected) {
    EXPECT_LE((found - expected).abs().max().item<double>(), 1e-5 * expected.abs().max().item<double>());
  };
  expect_near(x.grad(), xd.grad());
  expect_near(norm->weight.grad(), exact->weight.grad());
  expect_near(norm->bias.grad(), exact->bias.grad());
}

TEST(CliffordGroupNorm, RejectsNonFiniteInput) {
  auto norm = CliffordGroupNorm(CliffordGroupNormOptions(Algebra(2), 1, 1));
  const auto x = torch::randn({1, 1, 4, 8});
  x[0][0][1][3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(test::message([&] { norm(x); }),
            "CliffordGroupNorm got features whose covariance is not positive and finite");
}

TEST(CliffordNorm, ConstantInputGivesZeroAndFiniteGradients) {
  for (const double size : {0.0, 1.0, 1e6}) {
    const auto x = torch::full({2, 3, 8, 4}, size).requires_grad_();
    const auto y = CliffordBatchNorm(CliffordBatchNormOptions(Algebra(3), 3))(x) +
                   CliffordGroupNorm(CliffordGroupNormOptions(Algebra(3), 1, 3))(x);
    EXPECT_EQ(y.abs().max().item<float>(), 0);
    y.sum().backward();
    EXPECT_TRUE(torch::isfinite(x.grad()).all().item<bool>());
  }
}

TEST(CliffordNorm, ShapesEmptyBatchesAndNonContiguousInput) {
  auto batch = CliffordBatchNorm(CliffordBatchNormOptions(Algebra(2), 1));
  auto group = CliffordGroupNorm(CliffordGroupNormOptions(Algebra(2), 1, 1));
  for (const auto& sizes : {std::vector<std::int64_t>{3, 1, 4},
                            {3, 1, 4, 2},
                            {3, 1, 4, 2, 3},
                            {0, 1, 4, 5},
                            {1, 1, 4, 2, 2, 2}}) {
    const auto x = torch::randn(sizes);
    EXPECT_EQ(batch(x).sizes(), x.sizes());
    EXPECT_EQ(group(x).sizes(), x.sizes());
  }
  const auto x = torch::randn({4, 1, 3, 5}).transpose(0, 2);
  EXPECT_TRUE(torch::allclose(group(x), group(x.contiguous()), 1e-4, 1e-5));
  EXPECT_TRUE(torch::isfinite(batch->running_covariance).all().item<bool>());
}

TEST(CliffordNorm, ErrorsNameTheLayer) {
  EXPECT_EQ(test::message([] {
              CliffordBatchNorm(CliffordBatchNormOptions(Algebra(2), 3))(torch::zeros({1, 3, 3, 7}));
            }),
            "CliffordBatchNorm(G(2,0,0), 3) got a tensor of shape (1, 3, 3, 7), expected (*, 3, 4, *)");
  EXPECT_NE(
      test::message([] { CliffordGroupNorm(CliffordGroupNormOptions(Algebra(2), 2, 3)); }).find("2 groups"),
      std::string::npos);
  EXPECT_NE(test::message([] {
              CliffordGroupNorm(CliffordGroupNormOptions(Algebra(2), 1, 3))(torch::zeros({3}));
            }).find("(*, 3, 4)"),
            std::string::npos);
}

}  // namespace clifford_norm_test
}  // namespace gcan::nn
