#include "gcan/nn/clifford_conv.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gcan/nn/detail/clifford_matrices.h"
#include "gcan/nn/detail/tensor_path.h"
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

// Multivectors of G(2,0,0) as matrices: the product of the matrices is the matrix of the product.
TEST(CliffordConv, MultivectorsOfThePlaneAreMatrices) {
  torch::manual_seed(9);
  const Algebra g2(2);
  EXPECT_TRUE(detail::has_matrices(g2));
  for (const Algebra& other : {Algebra(0, 2), Algebra(1, 1), Algebra(3), Algebra(1)}) {
    EXPECT_FALSE(detail::has_matrices(other));
  }
  const auto x = random({3, 5, 4, 7});
  EXPECT_TRUE(torch::allclose(detail::from_matrices(detail::to_matrices(x)), 2 * x));
  const auto matrix = [](const torch::Tensor& v) {
    return detail::to_matrices(v.view({1, 1, 4, 1})).view({2, 2});
  };
  const auto u = random({4}), w = random({4});
  const auto product = torch::matmul(detail::clifford_kernel(g2, w.view({1, 1, 4})).view({4, 4}), u);
  EXPECT_TRUE(torch::allclose(matrix(product), torch::matmul(matrix(u), matrix(w))));
}

// Convolutions through matrices against those by tensor operations on the blades: values, gradients and
// second derivatives, with a preparation and something to add, odd numbers of channels, strides, transposed.
template <class Layer, class Options>
void expect_as_by_tensors(const Options& options, torch::IntArrayRef sizes) {
  auto layer = make<Layer>(options);
  std::vector<std::int64_t> per_channel(sizes.size() - 1, 1);
  per_channel[0] = sizes[1];
  const auto x = random(sizes).requires_grad_(), w = random(per_channel).requires_grad_();
  const Preparation before{{w}, [w](const torch::Tensor& t) { return torch::tanh(t * w); }};
  const auto more = torch::randn_like(layer(x)).requires_grad_();
  const auto by_tensors = [&](const Preparation& first, const torch::Tensor& add) {
    const detail::TensorPath forced;
    return layer->forward_after(first, x, add);
  };
  for (const Preparation& first : {Preparation(), before}) {
    for (const torch::Tensor& add : {torch::Tensor(), more}) {
      std::vector<torch::Tensor> inputs = layer->parameters();
      inputs.push_back(x);
      if (first.make) inputs.push_back(w);
      if (add.defined()) inputs.push_back(add);
      const auto y = layer->forward_after(first, x, add), expected = by_tensors(first, add);
      test::expect_close(y, expected, 1e-13, "value");
      const auto dy = torch::randn_like(y);
      const auto found = torch::autograd::grad({y}, inputs, {dy}),
                 grads = torch::autograd::grad({expected}, inputs, {dy});
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        test::expect_close(found[i], grads[i], 1e-12, "gradient " + std::to_string(i));
      }
      const auto bend = [&](const torch::Tensor& of) {
        const auto slope = torch::autograd::grad({of.square().sum()}, {x}, {}, true, true)[0];
        return torch::autograd::grad({slope.square().sum()}, {layer->weight, x});
      };
      const auto bent = bend(layer->forward_after(first, x, add)), straight = bend(by_tensors(first, add));
      for (std::size_t i = 0; i < bent.size(); ++i) {
        test::expect_close(bent[i], straight[i], 1e-11, "second derivative " + std::to_string(i));
      }
    }
  }
}

TEST(CliffordConv, ThroughMatricesIsTheSumOfProducts) {
  const Algebra g2(2);
  expect_as_by_tensors<CliffordConv2d>(
      CliffordConv2dOptions(g2, 3, 5, 3).padding(1).padding_mode({Padding::zeros, Padding::circular}),
      {2, 3, 4, 6, 8});
  expect_as_by_tensors<CliffordConv2d>(CliffordConv2dOptions(g2, 2, 3, {3, 2}).stride(2).bias(false),
                                       {2, 2, 4, 7, 6});
  expect_as_by_tensors<CliffordConvTranspose2d>(
      CliffordConvTranspose2dOptions(g2, 3, 2, 4).stride(2).padding(1), {2, 3, 4, 3, 4});
  expect_as_by_tensors<CliffordConv1d>(CliffordConv1dOptions(g2, 2, 2, 3).dilation(2), {1, 2, 4, 9});
}

// Our kernels in float, against double.
TEST(CliffordConv, ThroughMatricesInFloat) {
  auto exact = make<CliffordConv2d>(
      CliffordConv2dOptions(Algebra(2), 9, 18, 3).padding(1).padding_mode(torch::kCircular));
  const auto layer = std::dynamic_pointer_cast<CliffordConv2dImpl>(exact->clone());
  layer->to(torch::kFloat);
  const auto x = random({2, 9, 4, 16, 24}).requires_grad_();
  const auto y = exact(x), dy = torch::randn_like(y);
  y.backward(dy);
  const auto single = x.detach().to(torch::kFloat).requires_grad_();
  const auto found = layer->forward(single);
  found.backward(dy.to(torch::kFloat));
  test::expect_close(found.to(torch::kDouble), y, 1e-5, "value");
  test::expect_close(single.grad().to(torch::kDouble), x.grad(), 1e-5, "gradient of x");
  test::expect_close(layer->weight.grad().to(torch::kDouble), exact->weight.grad(), 1e-5, "of the weight");
  test::expect_close(layer->bias.grad().to(torch::kDouble), exact->bias.grad(), 1e-5, "of the bias");
  const torch::NoGradGuard no_grad;
  layer->weight[0][0][0][0][0] = std::nanf("");
  EXPECT_NE(
      test::message([&] { layer->forward(single); }).find("has an entry of its weight that is not finite"),
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
      "(*, 4, 4, *, *)");
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
