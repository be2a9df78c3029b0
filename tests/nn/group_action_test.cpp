#include "gcan/nn/group_action.h"

#include <gtest/gtest.h>

#include "gcan/algebra/versor.h"
#include "gcan/nn/tensor_algebra.h"
#include "tests/nn/clifford.h"
#include "tests/nn/gradient.h"

namespace gcan::nn {
namespace group_action_test {

torch::Tensor random(torch::IntArrayRef sizes) { return torch::randn(sizes, torch::kDouble); }

// Aff(1) on the line.
torch::Tensor affine(const torch::Tensor& g, const torch::Tensor& x) {
  return g.select(-1, 0) * x + g.select(-1, 1);
}

// Spin(3,0,1) on points, with the exact inverse.
torch::Tensor move_points(const torch::Tensor& g, const torch::Tensor& x) {
  const Algebra pga = Algebra::pga3d();
  return sandwich(MultivectorTensor(pga, pga.even_blades(), g, -1),
                  MultivectorTensor(pga, pga.blades(3), x, -1))
      .values();
}

GroupActionLayer make(const GroupActionLayerOptions& options) {
  torch::manual_seed(1);
  GroupActionLayer layer(options);
  layer->to(torch::kDouble);
  return layer;
}

TEST(GroupActionLayer, OfTheAffineGroupIsThePlainLinearLayer) {
  auto layer = make(GroupActionLayerOptions(5, 3, {2}, affine));
  auto plain = torch::nn::Linear(5, 3);
  plain->to(torch::kDouble);
  {
    const torch::NoGradGuard no_grad;
    plain->weight.copy_(layer->weight * layer->group.select(-1, 0));
    plain->bias.copy_((layer->weight * layer->group.select(-1, 1)).sum(1));
  }
  const auto x = random({7, 5});
  EXPECT_TRUE(torch::allclose(layer(x), plain(x), 1e-12, 1e-13));
}

TEST(GroupActionLayer, OfMotorsIsASumOfSandwiches) {
  auto layer = make(GroupActionLayerOptions(3, 2, {8}, move_points).start([](torch::Tensor g) {
    // Near the identity, and a motor: products of unit rotors and translators.
    const Algebra pga = Algebra::pga3d();
    const MultivectorTensor b(pga, pga.blades(2), torch::randn({g.size(0), g.size(1), 6}) * 0.5, -1);
    g.copy_(exp(b).values());
  }));
  const Algebra pga = Algebra::pga3d();
  const auto x = random({4, 3, 4});
  const auto y = layer(x);
  ASSERT_EQ(y.sizes(), (torch::IntArrayRef{4, 2, 4}));
  for (std::int64_t n = 0; n < 4; ++n) {
    const auto xs = test::multivectors(MultivectorTensor(pga, pga.blades(3), x[n], -1));
    for (std::int64_t o = 0; o < 2; ++o) {
      const auto gs = test::multivectors(MultivectorTensor(pga, pga.even_blades(), layer->group[o], -1));
      test::Multivec sum(pga);
      for (std::size_t i = 0; i < 3; ++i) {
        sum = sum + layer->weight[o][static_cast<std::int64_t>(i)].item<double>() *
                        (gs[i] * xs[i] * inverse(gs[i]));
      }
      // The start is in single precision, so the motors are unit to 1e-7 only.
      const auto point = test::multivectors(MultivectorTensor(pga, pga.blades(3), y[n][o], -1)).front();
      test::expect_near(point, grade(sum, 3), 1e-6);
    }
  }
}

TEST(GroupActionLayer, Gradients) {
  auto lines = make(GroupActionLayerOptions(2, 3, {2}, affine));
  const auto x = random({2, 2}).requires_grad_();
  test::expect_gradients([&] { return lines(x); }, {x, lines->group, lines->weight});
  auto points = make(GroupActionLayerOptions(2, 2, {8}, move_points));
  const auto p = random({2, 2, 4}).requires_grad_();
  test::expect_gradients([&] { return points(p); }, {p, points->group, points->weight}, 1e-5);
}

TEST(GroupActionLayer, BatchesOfAnySizeOneChannelAndClones) {
  auto layer = make(GroupActionLayerOptions(1, 1, {8}, move_points));
  const auto empty = torch::zeros({0, 1, 4}, torch::kDouble).requires_grad_();
  layer(empty).sum().backward();
  EXPECT_EQ(layer(empty).sizes(), (torch::IntArrayRef{0, 1, 4}));
  const auto x = random({4, 1, 3}).permute({2, 1, 0});
  EXPECT_TRUE(torch::allclose(layer(x), layer(x.contiguous())));
  const auto copy = std::dynamic_pointer_cast<GroupActionLayerImpl>(layer->clone());
  EXPECT_TRUE(torch::equal(copy->forward(x), layer(x)));
}

TEST(GroupActionLayer, ErrorsNameTheLayer) {
  EXPECT_EQ(test::message([] {
              GroupActionLayer(GroupActionLayerOptions(5, 3, {2}, affine))(torch::zeros({1, 4}));
            }),
            "GroupActionLayer(5 -> 3, group=(2)) got a tensor of shape (1, 4), expected (*, 5)");
  EXPECT_NE(test::message([] {
              GroupActionLayer(GroupActionLayerOptions(0, 3, {2}, affine));
            }).find("at least one"),
            std::string::npos);
  EXPECT_NE(
      test::message([] { GroupActionLayer(GroupActionLayerOptions(1, 3, {2}, nullptr)); }).find("an action"),
      std::string::npos);
  const auto wrong = [](const torch::Tensor&, const torch::Tensor& x) { return x.sum(); };
  EXPECT_NE(test::message([&] {
              GroupActionLayer(GroupActionLayerOptions(2, 3, {2}, wrong))(torch::zeros({1, 2}));
            }).find("its action got a tensor of shape ()"),
            std::string::npos);
}

}  // namespace group_action_test
}  // namespace gcan::nn
