#include "gcan/nn/norm.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/nn/features.h"
#include "tests/nn/gradient.h"
#include "tests/nn/reference.h"

namespace gcan::nn {
namespace norm_test {

using test::message;

// Options that differ in every way that changes the function; blades of several grades, out of order.
std::vector<GcaNormOptions> all_options() {
  const Algebra pga = Algebra::pga3d();
  const Algebra g3(3);
  const auto mixed = GcaNormOptions(g3, 4).objects({0b011, 0, 0b001, 0b111, 0b110});
  std::vector<GcaNormOptions> all;
  for (const auto divisor : {Divisor::one, Divisor::mean_norm, Divisor::mean_centred_norm}) {
    for (const bool space : {true, false}) {
      const auto base = GcaNormOptions(mixed).divisor(divisor).space(space);
      all.push_back(GcaNormOptions(base).groups(2));
      all.push_back(GcaNormOptions(base).scale(NormScale::per_channel).bias(true));
      all.push_back(GcaNormOptions(base).scale(NormScale::none).groups(4).eps(0.3));
    }
  }
  all.push_back(GcaNormOptions(pga, 1).objects(pga.points()));
  all.push_back(GcaNormOptions(pga, 2).objects(pga.blades()));
  return all;
}

GcaNorm make(const GcaNormOptions& options) {
  GcaNorm module(options);
  test::randomize(module);
  module->to(torch::kDouble);
  return module;
}

torch::Tensor random_input(const GcaNormOptions& o, std::vector<std::int64_t> rest = {}) {
  std::vector<std::int64_t> sizes{2, o.channels(), static_cast<std::int64_t>(o.objects().size())};
  sizes.insert(sizes.end(), rest.begin(), rest.end());
  return torch::randn(sizes, torch::kDouble) + 0.5;
}

TEST(GcaNorm, IsThePapersFormula) {
  // s_k (x - mean) / (mean |x|_k), written out for two grades and one group.
  const Algebra g3(3);
  const auto o = GcaNormOptions(g3, 3).objects({0b001, 0b010, 0b011}).eps(0);
  GcaNorm module = make(o);
  const torch::Tensor x = random_input(o, {4, 5});
  const torch::Tensor y = module(x);
  for (std::int64_t n = 0; n < 2; ++n) {
    const torch::Tensor vector = x[n].narrow(1, 0, 2);
    const torch::Tensor bivector = x[n].narrow(1, 2, 1);
    const torch::Tensor first =
        module->weight[0] * (vector - vector.mean({0, 2, 3}, true)) / vector.square().sum(1).sqrt().mean();
    const torch::Tensor second = module->weight[1] * (bivector - bivector.mean()) / bivector.abs().mean();
    test::expect_close(y[n], torch::cat({first, second}, 1), 1e-13, "formula");
  }
}

TEST(GcaNorm, KernelAgreesWithTensorOperations) {
  for (const auto& o : all_options()) {
    GcaNorm module = make(o);
    for (const auto& sizes : test::shapes(o.channels(), static_cast<std::int64_t>(o.objects().size()))) {
      test::expect_same_function(module, torch::randn(sizes, torch::kDouble) + 0.5, 1e-12);
    }
    module->to(torch::kFloat);
    test::expect_same_function(module, random_input(o, {9, 40}).to(torch::kFloat), 1e-4);
  }
}

TEST(GcaNorm, GradientsAreRight) {
  for (const auto& o : all_options()) {
    GcaNorm module = make(o);
    for (const auto& rest : {std::vector<std::int64_t>{2}, std::vector<std::int64_t>{3, 6}}) {
      const torch::Tensor x = random_input(o, rest).requires_grad_();
      std::vector<torch::Tensor> inputs = module->parameters();
      inputs.push_back(x);
      test::expect_gradients([&] { return module(x); }, inputs);
    }
  }
}

TEST(GcaNorm, SecondDerivativesAreRight) {
  const Algebra g3(3);
  GcaNorm module = make(GcaNormOptions(g3, 2).objects(g3.blades(1)).bias(true));
  const torch::Tensor x = torch::randn({1, 2, 3, 17}, torch::kDouble).requires_grad_();
  const auto slope = [&] {
    const torch::AutoGradMode on(true);  // also for finite differences
    return torch::autograd::grad({module(x).square().sum()}, {x}, {}, true, true)[0];
  };
  test::expect_gradients(slope, {x, module->weight, module->bias}, 1e-6);
}

TEST(GcaNorm, ConstantInputGivesZeroAndFiniteGradients) {
  const Algebra g3(3);
  for (const auto divisor : {Divisor::one, Divisor::mean_norm, Divisor::mean_centred_norm}) {
    for (const double eps : {1e-5, 0.0}) {
      for (const double value : {0.0, 2.0}) {
        const auto o = GcaNormOptions(g3, 2).objects(g3.blades(1)).divisor(divisor).eps(eps);
        GcaNorm module = make(o);
        for (const std::int64_t space : {1, 40}) {
          const torch::Tensor x = torch::full({2, 2, 3, space}, value, torch::kDouble);
          test::expect_same_function(module, x, 1e-12);
          const auto found = test::run(module, x, [&](const torch::Tensor& in) { return module(in); });
          EXPECT_EQ(found[0].abs().max().item<double>(), 0);
          for (const auto& tensor : found) EXPECT_TRUE(torch::isfinite(tensor).all().item<bool>());
        }
      }
    }
  }
}

TEST(GcaNorm, ResultHasMeanZeroAndMeanNormOne) {
  const Algebra pga = Algebra::pga3d();
  const auto o =
      GcaNormOptions(pga, 6).objects(pga.points()).groups(2).divisor(Divisor::mean_centred_norm).eps(0);
  GcaNorm module(o);
  module->to(torch::kDouble);
  const torch::Tensor y = module(7 * random_input(o, {50}) + 3).view({2, 2, 3, 3, 50});
  EXPECT_LE(y.mean({2, 4}).abs().max().item<double>(), 1e-14);
  const torch::Tensor norms = y.square().sum(3).sqrt().mean({2, 3});
  test::expect_close(norms, torch::ones_like(norms), 1e-14, "mean norm");
}

TEST(GcaNorm, CommutesWithRotations) {
  // The mean rotates with the multivectors and norms are invariant: the layer commutes with orthogonal maps.
  const Algebra g3(3);
  for (const auto divisor : {Divisor::one, Divisor::mean_norm, Divisor::mean_centred_norm}) {
    GcaNorm module = make(GcaNormOptions(g3, 4).objects(g3.blades(1)).divisor(divisor));
    const torch::Tensor x = torch::randn({2, 4, 3, 30}, torch::kDouble);
    const torch::Tensor turn = std::get<0>(torch::linalg_qr(torch::randn({3, 3}, torch::kDouble)));
    test::expect_close(module(torch::matmul(turn, x)), torch::matmul(turn, module(x)), 1e-13, "rotation");
  }
}

TEST(GcaNorm, KeepsGradesApart) {
  const Algebra pga = Algebra::pga3d();
  GcaNorm module = make(GcaNormOptions(pga, 2).objects(pga.blades()));
  const torch::Tensor x = torch::zeros({3, 2, 16, 33}, torch::kDouble);
  x.narrow(2, 5, 6).normal_();  // bivectors
  const torch::Tensor y = module(x);
  EXPECT_EQ(y.narrow(2, 0, 5).abs().max().item<double>(), 0);
  EXPECT_EQ(y.narrow(2, 11, 5).abs().max().item<double>(), 0);
  EXPECT_GT(y.narrow(2, 5, 6).abs().min().item<double>(), 0);
}

TEST(GcaNorm, SupportsNonContiguousInput) {
  const Algebra g3(3);
  GcaNorm module = make(GcaNormOptions(g3, 3).objects(g3.blades(1)));
  const torch::Tensor x = torch::randn({2, 5, 4, 3, 3}, torch::kDouble).permute({0, 4, 3, 1, 2});
  ASSERT_FALSE(x.is_contiguous());
  test::expect_same_function(module, x, 1e-13);
}

TEST(GcaNorm, KeepsItsPrecisionFarFromZero) {
  // In float, with a mean 1000 times the spread.
  const Algebra g3(3);
  const auto o = GcaNormOptions(g3, 8).objects(g3.blades(1)).divisor(Divisor::mean_centred_norm);
  GcaNorm module(o);
  const torch::Tensor x = (random_input(o, {64, 64}) + 1000).to(torch::kFloat);
  GcaNorm exact(o);
  exact->to(torch::kDouble);
  test::expect_close(module(x).to(torch::kDouble), exact(x.to(torch::kDouble)), 1e-4, "offset");
}

TEST(GcaNorm, WorksInBfloat16) {
  const Algebra g3(3);
  GcaNorm module(GcaNormOptions(g3, 4).objects(g3.blades(1)));
  const torch::Tensor x = torch::randn({2, 4, 3, 8, 8});
  const torch::Tensor y = module(x.to(torch::kBFloat16));
  EXPECT_EQ(y.scalar_type(), torch::kBFloat16);
  test::expect_close(y.to(torch::kFloat), module(x), 2e-2, "bfloat16");
}

TEST(GcaNorm, ClonesAndPrints) {
  const Algebra g3(3);
  GcaNorm module(GcaNormOptions(g3, 8).objects(g3.blades(1)).groups(2));
  const auto copy = std::dynamic_pointer_cast<GcaNormImpl>(module->clone());
  const torch::Tensor x = torch::randn({2, 8, 3, 20});
  test::expect_close(copy->forward(x), module->forward(x), 0, "clone");
  std::ostringstream text;
  text << module;
  EXPECT_EQ(text.str(),
            "GcaNorm(G(3,0,0), 8 channels of e1 e2 e3, 2 groups, mean norm, a factor per grade, eps=1e-05)");
}

TEST(GcaNorm, ErrorsNameTheLayer) {
  const Algebra g3(3);
  GcaNorm module(GcaNormOptions(g3, 8).objects(g3.blades(1)));
  EXPECT_NE(message([&] {
              module(torch::zeros({2, 8, 4, 5}));
            }).find("got a tensor of shape (2, 8, 4, 5), expected (*, 8, 3, *)"),
            std::string::npos);
  EXPECT_NE(message([&] {
              module(torch::zeros({2, 8, 3}, torch::kDouble));
            }).find("convert"),
            std::string::npos);
  EXPECT_EQ(message([&] { GcaNorm(GcaNormOptions(g3, 8).groups(3)); }),
            "GcaNorm got 3 groups for 8 channels, expected a number that divides the channels");
  EXPECT_EQ(message([&] { GcaNorm(GcaNormOptions(g3, 8).eps(-1)); }),
            "GcaNorm got a negative eps, expected 0 or more");
  EXPECT_EQ(message([&] { GcaNorm(GcaNormOptions(g3, -1)); }),
            "GcaNorm got -1 channels, expected at least 1");
}

// The released layer, values and gradients.
void expect_reference(const std::string& group, bool scale_norm) {
  const test::Reference reference(group);
  const torch::Tensor x = reference.features("input").requires_grad_();
  const Algebra g3(3);
  auto options = GcaNormOptions(g3, x.size(1)).groups(2).released(true);
  if (scale_norm) options.divisor(Divisor::mean_centred_norm);
  GcaNorm module(options);
  module->to(torch::kDouble);
  {
    torch::NoGradGuard no_grad;
    module->weight.copy_(reference.read("param/weight"));
    module->bias.copy_(reference.read("param/bias"));
  }
  const torch::Tensor y = module(x);
  y.backward(reference.features("grad_output"));
  test::expect_close(y, reference.features("output"), 1e-12, group);
  test::expect_close(x.grad(), reference.features("grad_input"), 1e-12, group);
  test::expect_close(module->weight.grad(), reference.read("grad_param/weight"), 1e-12, group);
  test::expect_close(module->bias.grad(), reference.read("grad_param/bias"), 1e-12, group);
}

TEST(GcaNorm, AgreesWithTheReleasedLayers) {
  GCAN_SKIP_WITHOUT_REFERENCE("layers.h5");
  expect_reference("g3_norm_center", false);
  expect_reference("g3_norm_scale", true);
}

}  // namespace norm_test
}  // namespace gcan::nn
