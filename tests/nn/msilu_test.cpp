#include "gcan/nn/msilu.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/nn/features.h"
#include "tests/nn/gradient.h"
#include "tests/nn/reference.h"

namespace gcan::nn {
namespace msilu_test {

using test::message;

// Options that differ in every way that changes the function; blades of several grades, out of order.
std::vector<MSiLUOptions> all_options() {
  const Algebra pga = Algebra::pga3d();
  const Algebra g3(3);
  const std::vector<Blade> mixed{0b011, 0, 0b001, 0b111, 0b110};
  std::vector<MSiLUOptions> all;
  for (const auto gates : {Gates::per_grade, Gates::per_channel}) {
    for (const auto aggregation : {Aggregation::linear, Aggregation::sum, Aggregation::mean}) {
      all.push_back(MSiLUOptions(g3, 3).objects(mixed).gates(gates).aggregation(aggregation));
    }
    all.push_back(MSiLUOptions(pga, 2).objects(pga.blades()).gates(gates));
  }
  all.push_back(MSiLUOptions(pga, 1).objects(pga.points()));
  all.push_back(MSiLUOptions(pga, 4).objects(pga.points()).bias(false));
  all.push_back(MSiLUOptions(pga, 3).objects(pga.blades(2)));
  return all;
}

MSiLU make(const MSiLUOptions& options) {
  MSiLU module(options);
  test::randomize(module);
  module->to(torch::kDouble);
  return module;
}

torch::Tensor random_input(const MSiLUOptions& o, std::vector<std::int64_t> rest = {}) {
  std::vector<std::int64_t> sizes{2, o.channels(), static_cast<std::int64_t>(o.objects().size())};
  sizes.insert(sizes.end(), rest.begin(), rest.end());
  return torch::randn(sizes, torch::kDouble);
}

TEST(MSiLU, IsThePapersFormula) {
  // sigmoid(f_k) [x]_k with f_k = beta_k . x + bias_k, number by number.
  const Algebra g3(3);
  const MSiLUOptions o = MSiLUOptions(g3, 2).objects({0, 0b001, 0b010, 0b011});
  MSiLU module = make(o);
  const torch::Tensor x = random_input(o);
  const torch::Tensor y = module(x);
  for (std::int64_t n = 0; n < 2; ++n) {
    for (std::int64_t c = 0; c < 2; ++c) {
      for (std::int64_t b = 0; b < 4; ++b) {
        const std::int64_t k = grade(o.objects()[static_cast<std::size_t>(b)]);
        const double f =
            (module->weight[c][k] * x[n][c]).sum().item<double>() + module->bias[c][k].item<double>();
        EXPECT_NEAR(y[n][c][b].item<double>(), x[n][c][b].item<double>() / (1 + std::exp(-f)), 1e-14);
      }
    }
  }
}

TEST(MSiLU, KernelAgreesWithTensorOperations) {
  for (const auto& o : all_options()) {
    MSiLU module = make(o);
    for (const auto& sizes : test::shapes(o.channels(), static_cast<std::int64_t>(o.objects().size()))) {
      test::expect_same_function(module, torch::randn(sizes, torch::kDouble), 1e-12);
    }
    module->to(torch::kFloat);
    test::expect_same_function(module, random_input(o, {9, 40}).to(torch::kFloat), 1e-4);
  }
}

TEST(MSiLU, GradientsAreRight) {
  for (const auto& o : all_options()) {
    MSiLU module = make(o);
    for (const auto& rest : {std::vector<std::int64_t>{}, std::vector<std::int64_t>{3, 6}}) {
      const torch::Tensor x = random_input(o, rest).requires_grad_();
      std::vector<torch::Tensor> inputs = module->parameters();
      inputs.push_back(x);
      test::expect_gradients([&] { return module(x); }, inputs);
    }
  }
}

TEST(MSiLU, SecondDerivativesAreRight) {
  const Algebra g3(3);
  MSiLU module = make(MSiLUOptions(g3, 2).objects(g3.blades()));
  const torch::Tensor x = torch::randn({2, 2, 8, 17}, torch::kDouble).requires_grad_();
  const auto slope = [&] {
    const torch::AutoGradMode on(true);  // also for finite differences
    return torch::autograd::grad({module(x).square().sum()}, {x}, {}, true, true)[0];
  };
  std::vector<torch::Tensor> inputs = module->parameters();
  inputs.push_back(x);
  test::expect_gradients(slope, inputs, 1e-6);
}

TEST(MSiLU, SupportsNonContiguousInput) {
  const Algebra g3(3);
  const MSiLUOptions o = MSiLUOptions(g3, 3).objects(g3.blades(1));
  MSiLU module = make(o);
  const torch::Tensor x = torch::randn({2, 5, 4, 3, 3}, torch::kDouble).permute({0, 4, 3, 1, 2});
  ASSERT_FALSE(x.is_contiguous());
  test::expect_same_function(module, x, 1e-13);
  test::expect_close(module(x), module(x.contiguous()), 0, "copy");
}

TEST(MSiLU, KeepsGradesApart) {
  // A multivector of one grade keeps it: zeros stay zero.
  const Algebra pga = Algebra::pga3d();
  MSiLU module = make(MSiLUOptions(pga, 2).objects(pga.blades()));
  const torch::Tensor x = torch::zeros({3, 2, 16, 33}, torch::kDouble);
  x.narrow(2, 5, 6).normal_();  // bivectors
  const torch::Tensor y = module(x);
  EXPECT_EQ(y.narrow(2, 0, 5).abs().max().item<double>(), 0);
  EXPECT_EQ(y.narrow(2, 11, 5).abs().max().item<double>(), 0);
  // Scaled by one number in (0, 1).
  const torch::Tensor factor = y.narrow(2, 5, 6) / x.narrow(2, 5, 6);
  test::expect_close(factor, factor.narrow(2, 0, 1).expand_as(factor), 1e-13, "one factor per grade");
  EXPECT_TRUE(((factor > 0) & (factor < 1)).all().item<bool>());
}

TEST(MSiLU, StartsAsTheReleasedLayersDo) {
  const Algebra pga = Algebra::pga3d();
  const MSiLU module(MSiLUOptions(pga, 128).objects(pga.points()));
  EXPECT_EQ(module->weight.numel() + module->bias.numel(), 128 * (3 + 1));
  const double bound = 1 / std::sqrt(3.0);
  EXPECT_LE(module->weight.abs().max().item<double>(), bound);
  EXPECT_GE(module->weight.abs().max().item<double>(), 0.9 * bound);
  EXPECT_LE(module->bias.abs().max().item<double>(), bound);
}

TEST(MSiLU, WorksInBfloat16) {
  const Algebra g3(3);
  MSiLU module(MSiLUOptions(g3, 4).objects(g3.blades(1)));
  const torch::Tensor x = torch::randn({2, 4, 3, 8, 8});
  const torch::Tensor y = module(x.to(torch::kBFloat16));
  EXPECT_EQ(y.scalar_type(), torch::kBFloat16);
  test::expect_close(y.to(torch::kFloat), module(x), 2e-2, "bfloat16");
}

TEST(MSiLU, ClonesAndPrints) {
  const Algebra pga = Algebra::pga3d();
  MSiLU module(MSiLUOptions(pga, 8).objects(pga.points()));
  const auto copy = std::dynamic_pointer_cast<MSiLUImpl>(module->clone());
  const torch::Tensor x = torch::randn({2, 8, 3});
  test::expect_close(copy->forward(x), module->forward(x), 0, "clone");
  std::ostringstream text;
  text << module;
  EXPECT_EQ(text.str(), "MSiLU(G(3,0,1), 8 channels of e012 e013 e023, linear, one gate per grade)");
}

TEST(MSiLU, ErrorsNameTheLayer) {
  const Algebra pga = Algebra::pga3d();
  MSiLU module(MSiLUOptions(pga, 8).objects(pga.points()));
  const std::string name = "MSiLU(G(3,0,1), 8 channels of e012 e013 e023, linear, one gate per grade)";
  EXPECT_EQ(message([&] {
              module(torch::zeros({2, 8, 4}));
            }),
            name + " got a tensor of shape (2, 8, 4), expected (*, 8, 3)");
  EXPECT_EQ(message([&] {
              module(torch::zeros({2, 7, 3, 5}));
            }),
            name + " got a tensor of shape (2, 7, 3, 5), expected (*, 8, 3, *)");
  EXPECT_NE(message([&] { module(torch::zeros({8, 3})); }).find("(*, 8, 3)"), std::string::npos);
  EXPECT_EQ(
      message([&] {
        module(torch::zeros({2, 8, 3}, torch::kDouble));
      }),
      name + " got a tensor of double, its parameters are of float; convert one of them with .to(dtype)");
  EXPECT_EQ(message([&] { MSiLU(MSiLUOptions(pga, 0)); }), "MSiLU got 0 channels, expected at least 1");
  EXPECT_EQ(message([&] { MSiLU(MSiLUOptions(pga, 2).objects({})); }),
            "MSiLU got no object blades, expected at least one");
  EXPECT_EQ(message([&] {
              MSiLU(MSiLUOptions(pga, 2).objects({3, 3}));
            }),
            "MSiLU got the object blade e01 more than once");
  EXPECT_EQ(message([&] { MSiLU(MSiLUOptions(Algebra(2), 2).objects({9})); }),
            "MSiLU got an object blade that is not in G(2,0,0)");
}

// The released layers, values and gradients.
void expect_reference(const std::string& group, MSiLUOptions options) {
  const test::Reference reference(group);
  const torch::Tensor x = reference.features("input").requires_grad_();
  options.channels(x.size(1)).gates(Gates::per_channel);
  MSiLU module(options);
  module->to(torch::kDouble);
  const bool learnt = options.aggregation() == Aggregation::linear;
  if (learnt) {
    torch::NoGradGuard no_grad;
    module->weight.copy_(reference.read("param/weight").view_as(module->weight));
    module->bias.copy_(reference.read("param/bias").view_as(module->bias));
  }
  const torch::Tensor y = module(x);
  y.backward(reference.features("grad_output"));
  test::expect_close(y, reference.features("output"), 1e-12, group);
  test::expect_close(x.grad(), reference.features("grad_input"), 1e-12, group);
  if (!learnt) return;
  test::expect_close(module->weight.grad(), reference.read("grad_param/weight").view_as(module->weight),
                     1e-12, group);
  test::expect_close(module->bias.grad(), reference.read("grad_param/bias").view_as(module->bias), 1e-12,
                     group);
}

TEST(MSiLU, AgreesWithTheReleasedLayers) {
  GCAN_SKIP_WITHOUT_REFERENCE("layers.h5");
  const Algebra pga = Algebra::pga3d();
  const Algebra g3(3);
  const auto points = MSiLUOptions(pga, 1).objects(pga.points());
  const auto vectors = MSiLUOptions(g3, 1).objects(g3.blades(1));
  const std::vector<std::pair<std::string, Aggregation>> cases{
      {"linear", Aggregation::linear}, {"sum", Aggregation::sum}, {"mean", Aggregation::mean}};
  for (const auto& [name, aggregation] : cases) {
    expect_reference("msilu_" + name, MSiLUOptions(points).aggregation(aggregation));
    expect_reference("g3_vsilu_" + name, MSiLUOptions(vectors).aggregation(aggregation));
  }
}

}  // namespace msilu_test
}  // namespace gcan::nn
