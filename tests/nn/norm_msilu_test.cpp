#include "gcan/nn/norm_msilu.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/nn/features.h"
#include "tests/nn/gradient.h"

namespace gcan::nn {
namespace norm_msilu_test {

using test::message;

std::vector<NormMSiLUOptions> all_options() {
  const Algebra g3(3);
  const std::vector<Blade> mixed{0b011, 0, 0b001, 0b110};
  const auto norm = GcaNormOptions(g3, 4).objects(mixed).groups(2);
  const auto gate = MSiLUOptions(g3, 4).objects(mixed);
  std::vector<NormMSiLUOptions> all;
  for (const auto divisor : {Divisor::one, Divisor::mean_norm, Divisor::mean_centred_norm}) {
    for (const auto gates : {Gates::per_grade, Gates::per_channel}) {
      all.emplace_back(GcaNormOptions(norm).divisor(divisor), MSiLUOptions(gate).gates(gates));
    }
  }
  all.emplace_back(GcaNormOptions(norm).scale(NormScale::per_channel).bias(true), gate);
  all.emplace_back(GcaNormOptions(norm).scale(NormScale::none),
                   MSiLUOptions(gate).aggregation(Aggregation::mean));
  all.emplace_back(GcaNormOptions(norm).space(false), gate);
  all.emplace_back(GcaNormOptions(g3, 1).objects(g3.blades(1)),
                   MSiLUOptions(g3, 1).objects(g3.blades(1)).bias(false));
  return all;
}

NormMSiLU make(const NormMSiLUOptions& options) {
  NormMSiLU module(options);
  test::randomize(module);
  module->to(torch::kDouble);
  return module;
}

torch::Tensor random_input(const NormMSiLUOptions& o, const std::vector<std::int64_t>& rest) {
  std::vector<std::int64_t> sizes{2, o.norm().channels(),
                                  static_cast<std::int64_t>(o.norm().objects().size())};
  sizes.insert(sizes.end(), rest.begin(), rest.end());
  return torch::randn(sizes, torch::kDouble) + 0.5;
}

TEST(NormMSiLU, IsTheNormThenTheGate) {
  for (const auto& o : all_options()) {
    NormMSiLU module = make(o);
    for (const auto& sizes :
         test::shapes(o.norm().channels(), static_cast<std::int64_t>(o.norm().objects().size()))) {
      const torch::Tensor x = torch::randn(sizes, torch::kDouble) + 0.5;
      const auto fused = test::run(module, x, [&](const torch::Tensor& in) { return module(in); });
      const auto apart =
          test::run(module, x, [&](const torch::Tensor& in) { return module->gate(module->norm(in)); });
      for (std::size_t i = 0; i < fused.size(); ++i)
        test::expect_close(fused[i], apart[i], 1e-12, "two layers");
      test::expect_same_function(module, x, 1e-12);
    }
    module->to(torch::kFloat);
    test::expect_same_function(module, random_input(o, {9, 40}).to(torch::kFloat), 1e-4);
  }
}

TEST(NormMSiLU, GradientsAreRight) {
  for (const auto& o : all_options()) {
    NormMSiLU module = make(o);
    const torch::Tensor x = random_input(o, {3, 6}).requires_grad_();
    std::vector<torch::Tensor> inputs = module->parameters();
    inputs.push_back(x);
    test::expect_gradients([&] { return module(x); }, inputs);
  }
}

TEST(NormMSiLU, SecondDerivativesAreRight) {
  NormMSiLU module = make(all_options()[2]);
  const torch::Tensor x = torch::randn({1, 4, 4, 16}, torch::kDouble).requires_grad_();
  const auto slope = [&] {
    const torch::AutoGradMode on(true);  // also for finite differences
    return torch::autograd::grad({module(x).square().sum()}, {x}, {}, true, true)[0];
  };
  test::expect_gradients(slope, {x, module->gate->weight}, 1e-6);
}

TEST(NormMSiLU, SupportsConstantAndNonContiguousInput) {
  const Algebra g3(3);
  NormMSiLU module =
      make({GcaNormOptions(g3, 3).objects(g3.blades(1)).eps(0), MSiLUOptions(g3, 3).objects(g3.blades(1))});
  const torch::Tensor constant = torch::ones({2, 3, 3, 40}, torch::kDouble);
  for (const auto& found : test::run(module, constant, [&](const torch::Tensor& in) { return module(in); })) {
    EXPECT_TRUE(torch::isfinite(found).all().item<bool>());
  }
  const torch::Tensor x = torch::randn({2, 5, 4, 3, 3}, torch::kDouble).permute({0, 4, 3, 1, 2});
  test::expect_same_function(module, x, 1e-13);
}

TEST(NormMSiLU, DoesNotDependOnTheNumberOfThreads) {
  const Algebra g3(3);
  NormMSiLU module = make(
      {GcaNormOptions(g3, 16).objects(g3.blades(1)).groups(2), MSiLUOptions(g3, 16).objects(g3.blades(1))});
  const torch::Tensor x = torch::randn({3, 16, 3, 50, 60}, torch::kDouble);
  const auto forward = [&](const torch::Tensor& in) { return module(in); };
  const int threads = torch::get_num_threads();
  torch::set_num_threads(1);
  const auto alone = test::run(module, x, forward);
  torch::set_num_threads(3);
  const auto together = test::run(module, x, forward);
  torch::set_num_threads(threads);
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_TRUE(torch::equal(alone[i], together[i])) << i;
}

TEST(NormMSiLU, HasTheParametersOfBothAndClones) {
  NormMSiLU module = make(all_options()[6]);
  std::vector<std::string> names;
  for (const auto& item : module->named_parameters()) names.push_back(item.key());
  EXPECT_EQ(names, (std::vector<std::string>{"norm.weight", "norm.bias", "gate.weight", "gate.bias"}));
  const auto copy = std::dynamic_pointer_cast<NormMSiLUImpl>(module->clone());
  const torch::Tensor x = torch::randn({2, 4, 4, 20}, torch::kDouble);
  test::expect_close(copy->forward(x), module->forward(x), 0, "clone");
  std::ostringstream text;
  text << module;
  EXPECT_NE(text.str().find("GcaNorm("), std::string::npos);
  EXPECT_NE(text.str().find("MSiLU("), std::string::npos);
}

TEST(NormMSiLU, ErrorsNameTheLayer) {
  const Algebra g3(3);
  EXPECT_EQ(
      message([&] { NormMSiLU(NormMSiLUOptions(GcaNormOptions(g3, 4), MSiLUOptions(g3, 5))); }),
      "NormMSiLU got a norm for 4 channels of e1 e2 e3 in G(3,0,0) and a gate for 5 channels of e1 e2 e3 "
      "in G(3,0,0); expected the same for both");
  NormMSiLU module(NormMSiLUOptions(GcaNormOptions(g3, 4), MSiLUOptions(g3, 4)));
  EXPECT_NE(message([&] {
              module(torch::zeros({2, 4, 8, 5}));
            }).find("expected (*, 4, 3, *)"),
            std::string::npos);
}

}  // namespace norm_msilu_test
}  // namespace gcan::nn
