#include "gcan/nn/linear.h"

#include <gtest/gtest.h>

#include <sstream>

#include "gcan/algebra/multivector_x.h"
#include "tests/nn/gradient.h"
#include "tests/nn/reference.h"

namespace gcan::nn {
namespace linear_test {

using torch::Tensor;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// A layer in double precision with random parameters, translations and unnormalised actions included.
GcaLinear random_layer(const GcaLinearOptions& options, int seed = 3) {
  torch::manual_seed(static_cast<std::uint64_t>(seed));
  GcaLinear layer(options);
  layer->to(torch::kDouble);
  const torch::NoGradGuard no_grad;
  for (Tensor& p : layer->parameters()) p.uniform_(-1, 1);
  // Away from null actions.
  layer->action[0].add_(2);
  return layer;
}

// Every algebra and option with which the layer is checked.
std::vector<GcaLinearOptions> variants() {
  const Algebra pga = Algebra::pga3d(), pga2 = Algebra::pga2d(), g3(3), minkowski(1, 3);
  const Blade weight = pga.blade("e123").blade;
  std::vector<Blade> both = pga.points();
  both.insert(both.begin(), {2, 4, 8});
  return {GcaLinearOptions(pga, 3, 2),
          GcaLinearOptions(pga, 3, 2).bias(true),
          GcaLinearOptions(pga, 2, 3).inverse(Inverse::exact),
          GcaLinearOptions(pga, 2, 3).inverse(Inverse::normalized).eps(0.3).bias(true),
          GcaLinearOptions(pga, 2, 2).objects(pga.blades(2)),
          GcaLinearOptions(pga, 2, 2).objects(pga.blades(1)).released(true),
          GcaLinearOptions(pga, 2, 2).objects(pga.blades(3)),
          GcaLinearOptions(pga, 2, 2).objects(both),
          GcaLinearOptions(pga, 2, 1).constants({weight, pga.blade("e12").blade}).objects(both),
          GcaLinearOptions(pga, 2, 2).constants({}),
          GcaLinearOptions(pga2, 3, 2),
          GcaLinearOptions(g3, 1, 1),
          GcaLinearOptions(g3, 2, 2).inverse(Inverse::normalized),
          GcaLinearOptions(g3, 2, 2).actions(g3.blades(1)).objects(g3.blades()),
          GcaLinearOptions(minkowski, 2, 2).actions(minkowski.blades(1)).inverse(Inverse::exact)};
}

Tensor random_input(const GcaLinearOptions& options, std::vector<std::int64_t> batch) {
  batch.push_back(options.settings().in_channels);
  batch.push_back(static_cast<std::int64_t>(options.settings().objects.size()));
  torch::manual_seed(11);
  return torch::randn(batch, torch::kDouble);
}

using Multivec = MultivectorX<double>;

// sum_i w_i a_i (x_i + delta_i) a_i^-1 by the run-time algebra.
Tensor brute_force(GcaLinear& layer, const Tensor& x) {
  const ActionSettings& s = layer->options.settings();
  const auto constants = s.chosen_constants();
  const Tensor y = torch::zeros({x.size(0), s.out_channels, x.size(2)}, torch::kDouble);
  for (std::int64_t n = 0; n < x.size(0); ++n)
    for (std::int64_t o = 0; o < s.out_channels; ++o) {
      Multivec sum(s.algebra);
      for (std::int64_t i = 0; i < s.in_channels; ++i) {
        const auto read = [&](const std::vector<Blade>& blades, auto value) {
          Multivec m(s.algebra);
          for (std::size_t k = 0; k < blades.size(); ++k)
            m = m + Multivec(s.algebra,
                             {{blades[k], value(static_cast<std::int64_t>(k)).template item<double>()}});
          return m;
        };
        const Multivec a = read(s.actions, [&](std::int64_t k) { return layer->action[k][o][i]; });
        Multivec object = read(s.objects, [&](std::int64_t k) { return x[n][i][k]; });
        object = object + read(constants, [&](std::int64_t k) { return layer->delta[i][k]; });
        const double norm = (a * reverse(a)).scalar();
        double scale = layer->weight[o][i].item<double>();
        if (s.inverse == Inverse::exact) scale /= norm;
        if (s.inverse == Inverse::normalized) scale /= norm + std::copysign(s.eps, norm);
        const bool odd = is_odd(grade(s.actions[0]));
        sum = sum + a * (odd ? grade_involution(object) : object) * reverse(a) * scale;
      }
      for (std::int64_t k = 0; k < x.size(2); ++k) {
        y[n][o][k] = sum.coefficient(s.objects[static_cast<std::size_t>(k)]) +
                     (layer->bias.defined() ? layer->bias[o][k].item<double>() : 0);
      }
    }
  return y;
}

TEST(GcaLinear, IsTheSumOfActionsOfTheRunTimeAlgebra) {
  const torch::NoGradGuard no_grad;
  for (const auto& options : variants()) {
    GcaLinear layer = random_layer(options);
    const Tensor x = random_input(options, {2});
    test::expect_close(layer(x), brute_force(layer, x), 1e-12, "the layer");
  }
}

TEST(GcaLinear, GradientsForEveryOption) {
  for (const auto& options : variants()) {
    GcaLinear layer = random_layer(options);
    const Tensor x = random_input(options, {2}).requires_grad_();
    std::vector<Tensor> inputs = layer->parameters();
    inputs.push_back(x);
    test::expect_gradients([&] { return layer(x); }, inputs);
  }
}

TEST(GcaLinear, EveryParameterGetsAGradientUnlessDeltaStartsAtZero) {
  const Algebra pga = Algebra::pga3d();
  const auto dead = [&](const GcaLinearOptions& options) {
    GcaLinear layer(options);
    layer(torch::randn({5, 4, 3})).square().sum().backward();
    const Tensor translations = layer->action.grad().narrow(0, 1, 3).abs().max();
    return std::pair(translations.item<double>() == 0, layer->delta.grad().abs().max().item<double>() == 0);
  };
  // Translations start at zero, so the first step only changes them.
  EXPECT_EQ(dead(GcaLinearOptions(pga, 4, 4)), std::pair(false, true));
  EXPECT_EQ(dead(GcaLinearOptions(pga, 4, 4).released(true)), std::pair(true, true));
}

TEST(GcaLinear, StartsAsDescribed) {
  torch::manual_seed(1);
  const Algebra pga = Algebra::pga3d();
  GcaLinear layer(GcaLinearOptions(pga, 128, 128).objects(pga.points()));
  std::int64_t count = 0;
  for (const Tensor& p : layer->parameters()) count += p.numel();
  EXPECT_EQ(count, 9 * 128 * 128 + 128);
  const Tensor a = layer->action.detach();
  EXPECT_EQ(a.sizes(), torch::IntArrayRef({8, 128, 128}));
  const Tensor rotation = torch::cat({a.narrow(0, 0, 1), a.narrow(0, 4, 3)}).square().sum(0);
  EXPECT_TRUE(torch::allclose(rotation, torch::ones_like(rotation)));
  EXPECT_EQ(a.narrow(0, 1, 3).abs().max().item<float>(), 0);
  EXPECT_EQ(a[7].abs().max().item<float>(), 0);
  EXPECT_NEAR(layer->weight.abs().max().item<double>(), 1 / std::sqrt(128.0), 1e-3);
  EXPECT_EQ(layer->delta.min().item<float>(), 1);
}

TEST(GcaLinear, SupportsAnyBatchAndMemoryOrder) {
  const torch::NoGradGuard no_grad;
  const GcaLinearOptions options = GcaLinearOptions(Algebra::pga3d(), 3, 2).bias(true);
  GcaLinear layer = random_layer(options);
  const Tensor x = random_input(options, {4, 5});
  const Tensor y = layer(x);
  EXPECT_EQ(y.sizes(), torch::IntArrayRef({4, 5, 2, 3}));
  EXPECT_TRUE(torch::allclose(layer(x[1][2]), y[1][2]));
  EXPECT_TRUE(torch::allclose(layer(x.narrow(1, 2, 1)), y.narrow(1, 2, 1)));
  EXPECT_EQ(layer(x.narrow(0, 0, 0)).sizes(), torch::IntArrayRef({0, 5, 2, 3}));
  const Tensor strided = x.permute({3, 1, 2, 0}).contiguous().permute({3, 1, 2, 0});
  ASSERT_FALSE(strided.is_contiguous());
  EXPECT_TRUE(torch::allclose(layer(strided), y));
  layer->to(torch::kFloat);
  EXPECT_TRUE(torch::allclose(layer(x.to(torch::kFloat)).to(torch::kDouble), y, 1e-4, 1e-4));
  const Tensor half = layer(x.to(torch::kBFloat16));
  EXPECT_EQ(half.scalar_type(), torch::kBFloat16);
  EXPECT_LT((half.to(torch::kDouble) - y).abs().max().item<double>(), 0.03 * y.abs().max().item<double>());
  layer->to(torch::kBFloat16);
  EXPECT_LT((layer(x.to(torch::kBFloat16)).to(torch::kDouble) - y).abs().max().item<double>(),
            0.1 * y.abs().max().item<double>());
}

TEST(GcaLinear, EmptyBatchHasZeroGradients) {
  GcaLinear layer(GcaLinearOptions(Algebra(3), 2, 2));
  layer(torch::zeros({0, 2, 3})).sum().backward();
  EXPECT_EQ(layer->action.grad().abs().sum().item<float>(), 0);
}

TEST(GcaLinear, EvaluationFollowsEveryChangeOfAParameter) {
  const GcaLinearOptions options = GcaLinearOptions(Algebra::pga3d(), 3, 2).bias(true);
  GcaLinear layer = random_layer(options);
  const Tensor x = random_input(options, {2});
  layer->eval();
  const torch::NoGradGuard no_grad;
  const auto check = [&](const char* what) {
    const Tensor kept = layer(x), again = layer(x);
    layer->train();
    const Tensor fresh = layer(x);
    layer->eval();
    EXPECT_TRUE(torch::equal(kept, fresh)) << what;
    EXPECT_TRUE(torch::equal(again, fresh)) << what;
  };
  check("at first");
  for (auto& p : layer->named_parameters()) {
    p.value().mul_(1.5);
    check(p.key().c_str());
  }
  layer->action.set_data(torch::randn_like(layer->action));
  check("set_data");
  layer->reset_parameters();
  check("reset_parameters");
  layer->action.data_ptr<double>()[0] += 1;
  layer->forget_kernel();
  check("raw pointers");
}

TEST(GcaLinear, EvaluationCachesTheKernelButStillGivesGradients) {
  GcaLinear layer(GcaLinearOptions(Algebra(3), 2, 2));
  layer->eval();
  {
    const torch::NoGradGuard no_grad;
    EXPECT_EQ(layer->assembled(false).kernel.data_ptr(), layer->assembled(false).kernel.data_ptr());
  }
  layer(torch::ones({1, 2, 3})).sum().backward();
  EXPECT_GT(layer->action.grad().abs().sum().item<float>(), 0);
}

TEST(GcaLinear, FoldsToThePlainLayer) {
  const torch::NoGradGuard no_grad;
  for (const auto& options : variants()) {
    GcaLinear layer = random_layer(options);
    const Tensor x = random_input(options, {4});
    auto plain = layer->to_torch();
    EXPECT_TRUE(torch::allclose(plain(x.flatten(1)), layer(x).flatten(1)));
    // A copy, not a view.
    const Tensor before = layer(x);
    plain->weight.zero_();
    EXPECT_TRUE(torch::equal(layer(x), before));
  }
}

TEST(GcaLinear, ClonesSavesAndLoads) {
  const torch::NoGradGuard no_grad;
  const GcaLinearOptions options = GcaLinearOptions(Algebra::pga3d(), 3, 2).bias(true);
  GcaLinear layer = random_layer(options);
  const Tensor x = random_input(options, {4});
  const Tensor y = layer(x);
  const auto copy = std::dynamic_pointer_cast<GcaLinearImpl>(layer->clone());
  EXPECT_TRUE(torch::equal(copy->forward(x), y));
  copy->action.zero_();
  EXPECT_TRUE(torch::equal(layer(x), y));
  std::stringstream file;
  torch::save(layer, file);
  GcaLinear other(options);
  // LibTorch's load does not convert numbers.
  other->to(torch::kDouble);
  other->eval();
  EXPECT_FALSE(torch::equal(other(x), y));
  torch::load(other, file);
  EXPECT_TRUE(torch::equal(other(x), y));
  std::vector<std::string> names;
  for (const auto& p : layer->named_parameters()) names.push_back(p.key());
  EXPECT_EQ(names, (std::vector<std::string>{"weight", "action", "delta", "bias"}));
  std::ostringstream text;
  text << layer;
  EXPECT_EQ(text.str(), "gcan::nn::GcaLinear(G(3,0,1), 3 -> 2, e012 e013 e023, bias)");
}

TEST(GcaLinear, ErrorsNameTheLayer) {
  const Algebra pga = Algebra::pga3d();
  GcaLinear layer(GcaLinearOptions(pga, 4, 8));
  const std::string title = "GcaLinear(G(3,0,1), 4 -> 8, e012 e013 e023)";
  EXPECT_EQ(error_of([&] {
              layer(torch::zeros({2, 5, 3}));
            }),
            title + " got a tensor of shape (2, 5, 3), expected (*, 4, 3)");
  EXPECT_EQ(error_of([&] { layer(torch::zeros({4})); }),
            title + " got a tensor of shape (4), expected (4, 3)");
  EXPECT_NE(error_of([&] { layer(torch::Tensor()); }).find("undefined"), std::string::npos);
  EXPECT_NE(error_of([&] {
              layer(torch::zeros({2, 4, 3}, torch::kDouble));
            }).find("to()"),
            std::string::npos);
  EXPECT_NE(error_of([&] { GcaLinear(GcaLinearOptions(pga, 0, 8)); }).find("at least one input"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              GcaLinear(GcaLinearOptions(pga, 1, 1).actions({0, 1}));
            }).find("even (Spin)"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              GcaLinear(GcaLinearOptions(pga, 1, 1).objects({99}));
            }).find("99 does not exist in G(3,0,1)"),
            std::string::npos);
  const torch::NoGradGuard no_grad;
  layer->action[0][0][0] = NAN;
  EXPECT_EQ(error_of([&] {
              layer(torch::zeros({2, 4, 3}));
            }),
            title + " has an action, weight or delta that is not finite (nan or infinity)");
}

TEST(GcaLinear, ReproducesTheReleasedLayer) {
  const auto file = test::ReferenceFile::open("layers.h5");
  if (!file) GTEST_SKIP() << test::ReferenceFile::missing("layers.h5");
  const Algebra pga = Algebra::pga3d();
  for (const std::string name : {"points", "planes", "lines", "points_velocities"}) {
    const std::string group = "gca_linear_" + name + "/";
    const auto blades = [&](const char* list) {
      std::vector<Blade> chosen;
      for (const double b : file->numbers(group, list))
        chosen.push_back(pga.blades()[static_cast<std::size_t>(b)]);
      return chosen;
    };
    const Tensor action = file->tensor(group + "param/action");
    GcaLinear layer(GcaLinearOptions(pga, action.size(1), action.size(0))
                        .actions(blades("action_blades"))
                        .objects(blades("blades"))
                        .released(true));
    layer->to(torch::kDouble);
    {
      const torch::NoGradGuard no_grad;
      layer->action.copy_(action.permute({2, 0, 1}));
      layer->weight.copy_(file->tensor(group + "param/weight"));
      layer->delta.copy_(file->tensor(group + "param/delta"));
    }
    const Tensor x = file->tensor(group + "input").requires_grad_();
    const Tensor y = layer(x);
    y.backward(file->tensor(group + "grad_output"));
    test::expect_close(y, file->tensor(group + "output"), 1e-10, name + " output");
    test::expect_close(x.grad(), file->tensor(group + "grad_input"), 1e-10, name + " grad_input");
    test::expect_close(layer->action.grad().permute({1, 2, 0}), file->tensor(group + "grad_param/action"),
                       1e-10, name + " action");
    test::expect_close(layer->weight.grad(), file->tensor(group + "grad_param/weight"), 1e-10,
                       name + " weight");
    test::expect_close(layer->delta.grad(), file->tensor(group + "grad_param/delta"), 1e-10, name + " delta");
  }
}

}  // namespace linear_test
}  // namespace gcan::nn
