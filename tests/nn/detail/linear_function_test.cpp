#include "gcan/nn/detail/linear_function.h"

#include <gtest/gtest.h>

#include "gcan/nn/detail/gemm.h"
#include "gcan/nn/linear.h"
#include "tests/nn/compare.h"
#include "tests/nn/message.h"

namespace gcan::nn::detail {
namespace linear_function_test {

using test::expect_close;
using torch::Tensor;

// Batches, channels and algebras that cover every path: one and several threads, with and without constants
// and bias, numbers of channels with and without remainders.
struct Case {
  GcaLinearOptions options;
  std::int64_t batch;
};
std::vector<Case> cases() {
  const Algebra pga = Algebra::pga3d(), g3(3);
  return {{GcaLinearOptions(pga, 128, 64), 200},
          {GcaLinearOptions(pga, 48, 96).bias(true), 300},
          {GcaLinearOptions(pga, 5, 7), 3},
          {GcaLinearOptions(pga, 5, 7).inverse(Inverse::normalized).bias(true), 1},
          {GcaLinearOptions(g3, 64, 32).bias(true), 500},
          {GcaLinearOptions(g3, 3, 2), 2},
          {GcaLinearOptions(pga, 6, 4).objects(pga.blades(2)), 9}};
}

struct Result {
  Tensor y;
  std::vector<Tensor> gradients;  // of the input, then of the parameters
};
Result run(GcaLinear& layer, const Tensor& input, const Tensor& grads) {
  const Tensor x = input.detach().clone().requires_grad_();
  Result result{layer(x), {}};
  std::vector<Tensor> wanted = layer->parameters();
  wanted.insert(wanted.begin(), x);
  result.gradients = torch::autograd::grad({result.y}, wanted, {grads});
  return result;
}

GcaLinear random_layer(const GcaLinearOptions& options) {
  torch::manual_seed(5);
  GcaLinear layer(options);
  const torch::NoGradGuard no_grad;
  for (Tensor& p : layer->parameters()) p.uniform_(-1, 1);
  return layer;
}

// Double precision goes through LibTorch's product and the kernel's own function.
TEST(LinearFunction, FloatMatchesDouble) {
  for (const int threads : {1, 3}) {
    const int before = at::get_num_threads();
    at::set_num_threads(threads);
    for (const Case& c : cases()) {
      GcaLinear layer = random_layer(c.options);
      const auto blades = static_cast<std::int64_t>(c.options.settings().objects.size());
      const Tensor x = torch::randn({c.batch, c.options.settings().in_channels, blades});
      const Tensor grads = torch::randn({c.batch, c.options.settings().out_channels, blades});
      const Result single = run(layer, x, grads);
      layer->to(torch::kDouble);
      const Result exact = run(layer, x.to(torch::kDouble), grads.to(torch::kDouble));
      expect_close(single.y.to(torch::kDouble), exact.y, 1e-5, "output");
      for (std::size_t i = 0; i < exact.gradients.size(); ++i) {
        expect_close(single.gradients[i].to(torch::kDouble), exact.gradients[i], 1e-5,
                     "gradient " + std::to_string(i) + " with " + std::to_string(threads) + " threads");
      }
    }
    at::set_num_threads(before);
  }
}

// Samples as columns, the last ones without a bias, against samples as rows.
TEST(LinearFunction, ColumnsMatchRows) {
  for (const Case& c : cases()) {
    GcaLinear layer = random_layer(c.options);
    const ActionSettings& s = layer->options.settings();
    const auto blades = static_cast<std::int64_t>(s.objects.size());
    const std::int64_t points = c.batch / 2;
    const Tensor rows = torch::randn({c.batch, s.in_channels, blades}).requires_grad_();
    const Tensor columns = rows.detach().flatten(1).t().contiguous().requires_grad_();
    const auto by_rows = [&] {
      const Tensor all = layer(rows).flatten(1);
      const Tensor bias = layer(torch::zeros_like(rows)).flatten(1);
      return torch::cat({all.narrow(0, 0, points), (all - bias).narrow(0, points, c.batch - points)});
    };
    std::vector<Tensor> parameters = layer->parameters();
    const auto grads_of = [&](const Tensor& y, const Tensor& x) {
      std::vector<Tensor> wanted = parameters;
      wanted.push_back(x);
      return torch::autograd::grad({y.square().sum()}, wanted);
    };
    const Tensor expected = by_rows(), value = layer->forward_columns(columns, points).t();
    expect_close(value.detach(), expected.detach(), 1e-5, "columns");
    const auto expected_grads = grads_of(expected, rows), grads = grads_of(value, columns);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      expect_close(grads[i], expected_grads[i], 1e-4, "gradient " + std::to_string(i));
    }
    expect_close(grads.back().t(), expected_grads.back().flatten(1), 1e-5, "gradient of the input");
    layer->eval();
    const torch::NoGradGuard no_grad;
    expect_close(layer->forward_columns(columns, points).t(), expected.detach(), 1e-5, "evaluation");
    layer->to(torch::kDouble);
    expect_close(layer->forward_columns(columns.to(torch::kDouble), points).t().to(torch::kFloat),
                 expected.detach(), 1e-5, "double");
  }
}

// What samples add as one of two groups of input channels, with a bias that counts threefold: the layer on
// samples whose other group is zero.
TEST(LinearFunction, GroupsGiveTheirPartsOfTheSum) {
  for (const Case& c : cases()) {
    GcaLinear layer = random_layer(c.options);
    const ActionSettings& s = layer->options.settings();
    if (s.in_channels % 2 != 0) continue;
    const auto blades = static_cast<std::int64_t>(s.objects.size());
    const std::int64_t half = s.in_channels / 2 * blades, points = c.batch / 2;
    const Samples samples{true, points, 3.0, 2};
    const Tensor x = torch::randn({half, c.batch}).requires_grad_();
    const auto by_zeros = [&] {
      const Tensor zero = torch::zeros_like(x);
      const Tensor bias = layer->forward_columns(torch::cat({zero, zero}), points);
      const Tensor as_first = layer->forward_columns(torch::cat({x, zero}), points) + 2 * bias;
      const Tensor as_second = layer->forward_columns(torch::cat({zero, x}), std::int64_t{0});
      return torch::stack({as_first, as_second}, 1).flatten(0, 1);
    };
    std::vector<Tensor> wanted = layer->parameters();
    wanted.push_back(x);
    const Tensor expected = by_zeros(), value = layer->forward_columns(x, samples);
    expect_close(value.detach(), expected.detach(), 1e-5, "groups");
    const auto expected_grads = torch::autograd::grad({expected.square().sum()}, wanted);
    const auto grads = torch::autograd::grad({value.square().sum()}, wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      expect_close(grads[i], expected_grads[i], 1e-4, "gradient " + std::to_string(i));
    }
    layer->eval();
    const torch::NoGradGuard no_grad;
    expect_close(layer->forward_columns(x, samples), expected.detach(), 1e-5, "evaluation");
    layer->to(torch::kDouble);
    expect_close(layer->forward_columns(x.to(torch::kDouble), samples).to(torch::kFloat), expected.detach(),
                 1e-5, "double");
  }
}

TEST(LinearFunction, GroupsMustDivideTheChannels) {
  GcaLinear layer(GcaLinearOptions(Algebra::pga3d(), 5, 7));
  EXPECT_EQ(test::message([&] {
              layer->forward_columns(torch::zeros({6, 1}), Samples{true, 1, 1, 2});
            }),
            "GcaLinear(G(3,0,1), 5 -> 7, e012 e013 e023) has 5 input channels, which are not 2 groups of as "
            "many");
}

// The bits do not depend on the thread that computes a part.
TEST(LinearFunction, IsReproducibleBitForBit) {
  const int before = at::get_num_threads();
  at::set_num_threads(3);
  const Case c = cases()[0];
  GcaLinear layer = random_layer(c.options);
  const Tensor x = torch::randn({c.batch, c.options.settings().in_channels, 3});
  const Tensor grads = torch::randn({c.batch, c.options.settings().out_channels, 3});
  const Result first = run(layer, x, grads);
  for (int round = 0; round < 30; ++round) {
    const Result again = run(layer, x, grads);
    EXPECT_TRUE(again.y.equal(first.y));
    for (std::size_t i = 0; i < first.gradients.size(); ++i) {
      EXPECT_TRUE(again.gradients[i].equal(first.gradients[i])) << "gradient " << i;
    }
  }
  at::set_num_threads(before);
}

TEST(LinearFunction, HasSecondDerivatives) {
  GcaLinear layer = random_layer(GcaLinearOptions(Algebra::pga3d(), 4, 3).bias(true));
  const Tensor input = torch::randn({5, 4, 3});
  const auto second = [&] {
    const auto type = layer->weight.scalar_type();
    const Tensor x = input.to(type).requires_grad_();
    const auto first = torch::autograd::grad({layer(x).pow(3).sum()}, {x, layer->action}, {}, true, true);
    return torch::autograd::grad({first[0].square().sum() + first[1].square().sum()},
                                 {x, layer->action, layer->weight});
  };
  const auto single = second();
  layer->to(torch::kDouble);
  const auto exact = second();
  for (std::size_t i = 0; i < exact.size(); ++i) {
    expect_close(single[i].to(torch::kDouble), exact[i], 1e-5, "second derivative " + std::to_string(i));
  }
}

TEST(LinearFunction, AnInputWithoutRequiresGradGetsNoGradient) {
  GcaLinear layer = random_layer(GcaLinearOptions(Algebra::pga3d(), 4, 3));
  const Tensor x = torch::randn({5, 4, 3});
  layer(x).sum().backward();
  EXPECT_FALSE(x.grad().defined());
  EXPECT_TRUE(layer->action.grad().defined());
}

TEST(LinearFunction, EvaluationMatchesTraining) {
  for (const Case& c : cases()) {
    GcaLinear layer = random_layer(c.options);
    const auto blades = static_cast<std::int64_t>(c.options.settings().objects.size());
    const Tensor x = torch::randn({blades, c.options.settings().in_channels, c.batch}).permute({2, 1, 0});
    const Tensor trained = layer(x);
    layer->eval();
    const torch::NoGradGuard no_grad;
    expect_close(layer(x), trained.detach(), 1e-6, "evaluation");
  }
}

TEST(Gemm, MultipliesInEveryOrientation) {
  if (!has_gemm()) GTEST_SKIP() << "gcan was built without oneDNN";
  torch::manual_seed(2);
  for (const bool left : {false, true}) {
    for (const bool right : {false, true}) {
      const Tensor a = torch::randn({left ? 6 : 5, left ? 5 : 6}),
                   b = torch::randn({right ? 7 : 6, right ? 6 : 7});
      const Tensor c = torch::randn({5, 9});
      Tensor expected = c.clone();
      expected.narrow(1, 1, 7) = (left ? a.t() : a).matmul(right ? b.t() : b) + 2 * c.narrow(1, 1, 7);
      gemm(5, 7, 6, {a.data_ptr<float>(), a.size(1), left}, {b.data_ptr<float>(), b.size(1), right}, 2,
           c.data_ptr<float>() + 1, 9);
      expect_close(c, expected, 1e-6, "product");
    }
  }
}

}  // namespace linear_function_test
}  // namespace gcan::nn::detail
