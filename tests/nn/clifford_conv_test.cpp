#include "gcan/nn/clifford_conv.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/nn/clifford.h"
#include "tests/nn/gradient.h"
#include "tests/nn/reference.h"

namespace gcan::nn {
namespace clifford_conv_test {

template <class Layer, class Options>
Layer make(const Options& options) {
  torch::manual_seed(1);
  Layer layer(options);
  layer->to(torch::kDouble);
  return layer;
}

torch::Tensor random(torch::IntArrayRef sizes) { return torch::randn(sizes, torch::kDouble); }

const Algebra kQuaternions(0, 2);

// One output point of a 1D convolution, tap by tap.
test::Multivec tap_sum(const Algebra& algebra, const torch::Tensor& x, const torch::Tensor& weight,
                       std::int64_t at) {
  test::Multivec sum(algebra);
  for (std::int64_t k = 0; k < weight.size(2); ++k) {
    sum = sum + test::product_sum(algebra, x.select(2, at + k), weight.select(2, k));
  }
  return sum;
}

TEST(CliffordConv, IsASumOfGeometricProductsWithGroupsOfWholeChannels) {
  for (const Algebra& algebra : test::small_algebras()) {
    for (const std::int64_t groups : {1, 2}) {
      auto layer = make<CliffordConv1d>(CliffordConv1dOptions(algebra, 4, 6, 3).groups(groups).bias(false));
      const auto x = random({2, 4, detail::blade_count(algebra), 5});
      const auto y = layer(x);
      ASSERT_EQ(y.sizes(), (torch::IntArrayRef{2, 6, detail::blade_count(algebra), 3}));
      const std::int64_t in = 4 / groups;
      for (std::int64_t o = 0; o < 6; ++o) {
        const auto own = x[1].narrow(0, o / (6 / groups) * in, in);
        for (std::int64_t at = 0; at < 3; ++at) {
          test::expect_near(test::all_grades(algebra, y[1][o].select(1, at)).front(),
                            tap_sum(algebra, own, layer->weight[o], at), 1e-13);
        }
      }
    }
  }
}

// The fused kernel and the gradient of its weight equal those of tensor operations.
TEST(CliffordConv, FusedKernelMatchesTensorOperations) {
  torch::manual_seed(8);
  for (const Algebra& algebra : test::small_algebras()) {
    for (const bool transposed : {false, true}) {
      const auto turned = [&](const torch::Tensor& t) { return transposed ? t.transpose(0, 1) : t; };
      auto weight = random({3, 2, detail::blade_count(algebra), 3, 2}).requires_grad_();
      const auto expected = turned(detail::clifford_kernel(algebra, turned(weight)));
      const auto found = detail::fused_clifford_kernel("layer", algebra, weight, transposed);
      EXPECT_TRUE(torch::equal(found, expected));
      const auto grads = torch::randn_like(expected);
      const auto slope = torch::autograd::grad({expected}, {weight}, {grads})[0];
      EXPECT_TRUE(torch::allclose(torch::autograd::grad({found}, {weight}, {grads})[0], slope));
      EXPECT_TRUE(torch::allclose(
          detail::clifford_weight_gradient(algebra, weight.detach(), grads, transposed), slope));
    }
  }
  EXPECT_NE(
      test::message([] {
        detail::fused_clifford_kernel("layer", Algebra(1), torch::full({1, 1, 2, 3}, std::nan("")), false);
      }).find("layer has an entry of its weight that is not finite"),
      std::string::npos);
}

// Along each axis the two- and three-dimensional layers equal the one-dimensional one.
TEST(CliffordConv, DimensionsAgree) {
  auto one =
      make<CliffordConv1d>(CliffordConv1dOptions(Algebra(3), 2, 3, 3).stride(2).dilation(2).padding(1));
  auto two = make<CliffordConv2d>(
      CliffordConv2dOptions(Algebra(3), 2, 3, {1, 3}).stride({1, 2}).dilation({1, 2}).padding({0, 1}));
  auto three = make<CliffordConv3d>(CliffordConv3dOptions(Algebra(3), 2, 3, {3, 1, 1})
                                        .stride({2, 1, 1})
                                        .dilation({2, 1, 1})
                                        .padding({1, 0, 0}));
  {
    const torch::NoGradGuard no_grad;
    two->weight.copy_(one->weight.unsqueeze(3));
    three->weight.copy_(one->weight.unsqueeze(-1).unsqueeze(-1));
    two->bias.copy_(one->bias);
    three->bias.copy_(one->bias);
  }
  const auto x = random({2, 2, 8, 9});
  const auto y = one(x);
  EXPECT_TRUE(torch::allclose(two(x.unsqueeze(3)), y.unsqueeze(3)));
  EXPECT_TRUE(torch::allclose(three(x.unsqueeze(-1).unsqueeze(-1)), y.unsqueeze(-1).unsqueeze(-1)));
}

TEST(CliffordConv, PeriodicSpaceCommutesWithShifts) {
  auto layer = make<CliffordConv2d>(
      CliffordConv2dOptions(Algebra(2), 2, 2, 3).padding(1).padding_mode(torch::kCircular));
  const auto x = random({1, 2, 4, 5, 6});
  EXPECT_TRUE(torch::allclose(layer(x.roll({2, 3}, {3, 4})), layer(x).roll({2, 3}, {3, 4})));
}

// With a unit quaternion the vector part is turned, scaled and nothing else.
TEST(CliffordConv, RotationKeepsLengthsUpToTheScale) {
  auto layer = make<CliffordConv2d>(CliffordConv2dOptions(kQuaternions, 1, 1, 1).rotation(true).bias(false));
  {
    const torch::NoGradGuard no_grad;
    layer->weight.mul_(1e4);
    layer->scale.fill_(2);
  }
  const auto x = random({3, 1, 4, 2, 2});
  const auto length = [](const torch::Tensor& t) { return t.narrow(2, 1, 3).pow(2).sum(2).sqrt(); };
  EXPECT_TRUE(torch::allclose(length(layer(x)), 2 * length(x), 1e-6));
}

void expect_reference(const std::string& name, const Algebra& algebra, bool rotation) {
  const test::Reference reference(name);
  const auto read = [&](const std::string& set) { return reference.read(set); };
  const auto read_weights = [&](const std::string& group) {
    std::vector<torch::Tensor> parts;
    for (int k = 0; k < 4; ++k) parts.push_back(read(group + "/weight" + std::to_string(k)));
    return torch::stack(parts, 2);
  };
  auto layer = make<CliffordConv2d>(CliffordConv2dOptions(algebra, 4, 5, 3).padding(1).rotation(rotation));
  {
    const torch::NoGradGuard no_grad;
    layer->weight.copy_(read_weights("param"));
    layer->bias.copy_(read("param/bias").t());
    if (rotation) layer->scale.copy_(read("param/weight4"));
  }
  const auto x = read("input").movedim(-1, 2).contiguous().requires_grad_();
  const auto y = layer(x);
  test::expect_close(y, read("output").movedim(-1, 2), 1e-10, "y");
  y.backward(read("grad_output").movedim(-1, 2));
  test::expect_close(x.grad(), read("grad_input").movedim(-1, 2), 1e-10, "x.grad()");
  test::expect_close(layer->weight.grad(), read_weights("grad_param"), 1e-10, "layer->weight.grad()");
  test::expect_close(layer->bias.grad(), read("grad_param/bias").t(), 1e-10, "layer->bias.grad()");
  if (!rotation) return;
  test::expect_close(layer->scale.grad(), read("grad_param/weight4"), 1e-10, "layer->scale.grad()");
}

TEST(CliffordConv, ReproducesTheReleasedLayers) {
  GCAN_SKIP_WITHOUT_REFERENCE("layers.h5");
  expect_reference("clifford_conv2d_pp", Algebra(2), false);
  expect_reference("clifford_conv2d_mm", kQuaternions, false);
  expect_reference("clifford_conv2d_rotation", kQuaternions, true);
}

template <class Layer, class Options>
void expect_layer_gradients(const Options& options, torch::IntArrayRef sizes) {
  auto layer = make<Layer>(options);
  const auto x = random(sizes).requires_grad_();
  auto inputs = layer->parameters();
  inputs.push_back(x);
  test::expect_gradients([&] { return layer(x); }, inputs, 1e-6);
}

TEST(CliffordConv, GradientsForEveryOption) {
  const Algebra g2(2);
  expect_layer_gradients<CliffordConv1d>(CliffordConv1dOptions(Algebra(0, 1), 2, 2, 3).stride(2),
                                         {2, 2, 2, 7});
  expect_layer_gradients<CliffordConv1d>(CliffordConv1dOptions(Algebra(1), 1, 2, 2).dilation(2).bias(false),
                                         {1, 1, 2, 5});
  expect_layer_gradients<CliffordConv2d>(CliffordConv2dOptions(g2, 2, 2, {2, 3}).padding(1).groups(2),
                                         {2, 2, 4, 3, 4});
  expect_layer_gradients<CliffordConv2d>(
      CliffordConv2dOptions(g2, 1, 2, 3).padding(1).padding_mode(torch::kCircular), {1, 1, 4, 3, 4});
  expect_layer_gradients<CliffordConv2d>(
      CliffordConv2dOptions(kQuaternions, 2, 2, 2).rotation(true).groups(2), {2, 2, 4, 3, 3});
  expect_layer_gradients<CliffordConv3d>(CliffordConv3dOptions(Algebra(3), 1, 1, 2), {1, 1, 8, 2, 3, 2});
}

TEST(CliffordConv, EmptyBatchesNonContiguousInputAndClones) {
  auto layer = make<CliffordConv2d>(CliffordConv2dOptions(kQuaternions, 2, 3, 3).padding(1).rotation(true));
  const auto empty = torch::zeros({0, 2, 4, 5, 6}, torch::kDouble).requires_grad_();
  const auto y = layer(empty);
  EXPECT_EQ(y.sizes(), (torch::IntArrayRef{0, 3, 4, 5, 6}));
  y.sum().backward();
  const auto x = random({2, 2, 5, 6, 4}).movedim(-1, 2);
  EXPECT_TRUE(torch::allclose(layer(x), layer(x.contiguous())));
  const auto copy = std::dynamic_pointer_cast<CliffordConv2dImpl>(layer->clone());
  EXPECT_TRUE(torch::equal(copy->forward(x), layer(x)));
}

TEST(CliffordConv, ErrorsNameTheLayer) {
  const Algebra g2(2);
  EXPECT_EQ(
      test::message([&] {
        CliffordConv2d(CliffordConv2dOptions(g2, 4, 2, 3))(torch::zeros({1, 4, 3, 8, 8}));
      }),
      "CliffordConv2d(G(2,0,0), 4 -> 2, kernel_size=(3, 3)) got a tensor of shape (1, 4, 3, 8, 8), expected "
      "(*, 4, 4, *, *).");
  EXPECT_NE(
      test::message([&] { CliffordConv2d(CliffordConv2dOptions(g2, 4, 2, 3).groups(3)); }).find("3 groups"),
      std::string::npos);
  EXPECT_NE(test::message([&] {
              CliffordConv2d(CliffordConv2dOptions(g2, 4, 2, 3).rotation(true));
            }).find("for G(0,2,0)"),
            std::string::npos);
  EXPECT_NE(
      test::message([&] { CliffordConv1d(CliffordConv1dOptions(g2, 4, 2, 0)); }).find("positive kernel"),
      std::string::npos);
}

}  // namespace clifford_conv_test
}  // namespace gcan::nn
