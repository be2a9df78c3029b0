#include "gcan/nn/detail/joined_linear.h"

#include <gtest/gtest.h>

#include "gcan/nn/detail/gemm.h"
#include "gcan/nn/linear.h"
#include "tests/nn/compare.h"
#include "tests/nn/message.h"

namespace gcan::nn::detail {
namespace joined_linear_test {

using test::expect_close;
using torch::Tensor;

// outer(h, inner(s)).
struct Layers {
  GcaLinear outer{nullptr}, inner{nullptr};

  [[nodiscard]] std::vector<Tensor> parameters() {
    std::vector<Tensor> all = outer->parameters();
    for (const Tensor& p : inner->parameters()) all.push_back(p);
    return all;
  }
  [[nodiscard]] Tensor joined(const Tensor& h, const Tensor& s, const Samples& of_inner) {
    return outer->forward_columns_after(*inner, h, s, of_inner);
  }
  [[nodiscard]] Tensor one_by_one(const Tensor& h, const Tensor& s, const Samples& of_inner) {
    return outer->forward_columns(torch::cat({h, inner->forward_columns(s, of_inner)}), of_inner.biased);
  }
};

struct Case {
  GcaLinearOptions outer, inner;
  std::int64_t columns;
};

// Enough columns for the kernels' product to pay, on one and several threads, with constants, bias, both or
// none.
std::vector<Case> cases() {
  const Algebra pga = Algebra::pga3d(), g3(3);
  return {{GcaLinearOptions(pga, 64, 32), GcaLinearOptions(pga, 32, 32), 700},
          {GcaLinearOptions(pga, 9, 5).bias(true), GcaLinearOptions(pga, 7, 4).bias(true), 80},
          {GcaLinearOptions(pga, 9, 5).inverse(Inverse::normalized), GcaLinearOptions(pga, 3, 4), 33},
          {GcaLinearOptions(g3, 40, 20).bias(true), GcaLinearOptions(g3, 24, 16), 400},
          {GcaLinearOptions(g3, 5, 3), GcaLinearOptions(g3, 2, 4), 40}};
}

Layers random_layers(const Case& c) {
  torch::manual_seed(7);
  Layers layers{GcaLinear(c.outer), GcaLinear(c.inner)};
  const torch::NoGradGuard no_grad;
  for (Tensor& p : layers.parameters()) p.uniform_(-1, 1);
  return layers;
}

struct Inputs {
  Tensor h, s;
  explicit Inputs(const Case& c)
      : h(torch::randn({(c.outer.in_channels() - c.inner.out_channels()) * 3, c.columns}).requires_grad_()),
        s(torch::randn({c.inner.in_channels() * 3, c.columns}).requires_grad_()) {}
};

bool is_joined(const Tensor& y) { return y.grad_fn()->name().find("Joined") != std::string::npos; }

// In double, where layers run one after another.
TEST(JoinedLinear, EqualsTheLayersOneByOne) {
  for (const int threads : {1, 3}) {
    const int before = at::get_num_threads();
    at::set_num_threads(threads);
    for (const Case& c : cases()) {
      Layers layers = random_layers(c);
      const Inputs in(c);
      const Samples of_inner{true, c.columns / 2, 31.0};
      std::vector<Tensor> wanted = layers.parameters();
      wanted.insert(wanted.end(), {in.h, in.s});
      const Tensor y = layers.joined(in.h, in.s, of_inner);
      EXPECT_EQ(is_joined(y), has_gemm());
      const Tensor dy = torch::randn_like(y);
      const auto grads = torch::autograd::grad({y}, wanted, {dy});

      layers.outer->to(torch::kDouble);
      layers.inner->to(torch::kDouble);
      const Tensor h = in.h.detach().to(torch::kDouble).requires_grad_();
      const Tensor s = in.s.detach().to(torch::kDouble).requires_grad_();
      wanted = layers.parameters();
      wanted.insert(wanted.end(), {h, s});
      const Tensor exact = layers.one_by_one(h, s, of_inner);
      expect_close(y.detach().to(torch::kDouble), exact.detach(), 1e-5, "output");
      expect_close(layers.joined(h, s, of_inner).detach(), exact.detach(), 1e-12, "double");
      const auto exact_grads = torch::autograd::grad({exact}, wanted, {dy.to(torch::kDouble)});
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        expect_close(grads[i].to(torch::kDouble), exact_grads[i], 1e-5,
                     "gradient " + std::to_string(i) + " with " + std::to_string(threads) + " threads");
      }
    }
    at::set_num_threads(before);
  }
}

TEST(JoinedLinear, RunsTheLayersOneByOneForFewColumnsAndInEvaluation) {
  Case c = cases()[0];
  c.columns = 20;
  Layers layers = random_layers(c);
  const Inputs in(c);
  const Samples samples{true, 10, 2.0};
  EXPECT_FALSE(is_joined(layers.joined(in.h, in.s, samples)));
  const Tensor trained = layers.one_by_one(in.h, in.s, samples).detach();
  layers.outer->eval();
  layers.inner->eval();
  const torch::NoGradGuard no_grad;
  expect_close(layers.joined(in.h, in.s, samples), trained, 1e-6, "evaluation");
  layers.inner->fold();
  expect_close(layers.joined(in.h, in.s, samples), trained, 1e-6, "folded");
}

// The bits do not depend on the thread that computes a part.
TEST(JoinedLinear, IsReproducibleBitForBit) {
  const int before = at::get_num_threads();
  at::set_num_threads(3);
  const Case c = cases()[0];
  Layers layers = random_layers(c);
  const Inputs in(c);
  std::vector<Tensor> wanted = layers.parameters();
  wanted.insert(wanted.end(), {in.h, in.s});
  const auto run = [&] {
    const Tensor y = layers.joined(in.h, in.s, {true, c.columns, 31.0});
    auto result = torch::autograd::grad({y.square().sum()}, wanted);
    result.push_back(y.detach());
    return result;
  };
  const auto first = run();
  for (int round = 0; round < 20; ++round) {
    const auto again = run();
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(again[i].equal(first[i])) << i;
  }
  at::set_num_threads(before);
}

TEST(JoinedLinear, HasSecondDerivatives) {
  const Case c = cases()[1];
  Layers layers = random_layers(c);
  const Inputs in(c);
  const auto second = [&](bool joined) {
    const Samples of_inner{true, 50, 3.0};
    const Tensor y = joined ? layers.joined(in.h, in.s, of_inner) : layers.one_by_one(in.h, in.s, of_inner);
    EXPECT_EQ(is_joined(y), joined && has_gemm());
    const auto first =
        torch::autograd::grad({y.pow(3).mean()}, {in.h, in.s, layers.inner->action}, {}, true, true);
    Tensor sum = torch::zeros({});
    for (const Tensor& t : first) sum = sum + t.square().sum();
    return torch::autograd::grad({sum}, layers.parameters());
  };
  const auto joined = second(true), expected = second(false);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expect_close(joined[i], expected[i], 1e-4, "second derivative " + std::to_string(i));
  }
}

TEST(JoinedLinear, ErrorsNameTheLayer) {
  const Case c = cases()[1];
  Layers layers = random_layers(c);
  const Inputs in(c);
  const Samples samples{true, 50, 3.0};
  const std::string inner = "GcaLinear(G(3,0,1), 7 -> 4, e012 e013 e023, bias)";
  const std::string outer = "GcaLinear(G(3,0,1), 9 -> 5, e012 e013 e023, bias)";
  const auto error = [&](const Tensor& h, const Tensor& s) {
    return test::message([&] { (void)layers.joined(h, s, samples); });
  };
  EXPECT_EQ(error(in.h, in.s.narrow(0, 0, 6)), inner + " got a tensor of shape (6, 80), expected (21, 80)");
  EXPECT_EQ(error(in.h.narrow(0, 0, 6), in.s), outer + " got a tensor of shape (6, 80), expected (15, *)");
  const std::string rest = " has an action, weight or delta that is not finite (nan or infinity)";
  const torch::NoGradGuard no_grad;
  layers.outer->weight[0][0] = NAN;
  EXPECT_EQ(error(in.h, in.s), outer + rest);
  layers.inner->weight[0][0] = NAN;
  EXPECT_EQ(error(in.h, in.s), inner + rest);
}

}  // namespace joined_linear_test
}  // namespace gcan::nn::detail
