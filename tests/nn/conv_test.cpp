#include "gcan/nn/conv.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "tests/nn/gradient.h"
#include "tests/nn/reference.h"

namespace gcan::nn {
namespace conv_test {

using torch::Tensor;

// Debian's oneDNN uses AMX for bfloat16 if the CPU has it, and crashes if the kernel does not allow it; `gcan
// env` sets the same variable. Must precede the first convolution.
[[maybe_unused]] const int kNoAmx = setenv("DNNL_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class Layer, class Options>
Layer random_layer(const Options& options) {
  torch::manual_seed(3);
  Layer layer(options);
  layer->to(torch::kDouble);
  const torch::NoGradGuard no_grad;
  for (Tensor& p : layer->parameters()) p.uniform_(-1, 1);
  layer->action[0].add_(2);  // away from null actions
  return layer;
}

// The kernel by the plan's matrices, one action at a time: (rows * U, columns * V, positions).
Tensor kernel_by_matrices(const ActionParameters& layer, const ActionSettings& s, bool rows_are_inputs,
                          bool transposed_rotation) {
  const SandwichPlan plan({s.algebra, s.actions, s.objects, s.objects, {}});
  const auto n = static_cast<std::int64_t>(s.objects.size());
  const Tensor a = layer.action.detach().flatten(3), w = layer.weight.detach().flatten(2);
  const Tensor kernel = torch::empty({w.size(0), n, w.size(1), n, w.size(2)}, torch::kDouble);
  for (std::int64_t r = 0; r < w.size(0); ++r)
    for (std::int64_t c = 0; c < w.size(1); ++c)
      for (std::int64_t k = 0; k < w.size(2); ++k) {
        std::vector<double> action;
        for (std::int64_t i = 0; i < a.size(0); ++i) action.push_back(a[i][r][c][k].item<double>());
        Tensor m = torch::tensor(plan.matrix(action, s.inverse, s.eps), torch::kDouble).view({n, n});
        if (transposed_rotation) m = m.t();
        if (rows_are_inputs) m = m.t();
        kernel.select(4, k).select(2, c).select(0, r).copy_(m * w[r][c][k]);
      }
  std::vector<std::int64_t> sizes{w.size(0) * n, w.size(1) * n};
  for (std::int64_t i = 2; i < layer.weight.dim(); ++i) sizes.push_back(layer.weight.size(i));
  return kernel.reshape(sizes);
}

// Pads by looking every index up.
Tensor padded(Tensor x, std::int64_t dimension, std::int64_t width, Padding mode) {
  const std::int64_t n = x.size(dimension);
  std::vector<Tensor> parts;
  for (std::int64_t i = -width; i < n + width; ++i) {
    std::int64_t from = mode == Padding::circular ? (i + n) % n : i;
    if (mode == Padding::reflect) from = i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
    const bool inside = from >= 0 && from < n;
    parts.push_back(inside ? x.select(dimension, from) : torch::zeros_like(x.select(dimension, 0)));
  }
  return torch::stack(parts, dimension);
}

template <std::size_t D>
using Conv = std::conditional_t<D == 1, GcaConv1d, std::conditional_t<D == 2, GcaConv2d, GcaConv3d>>;
template <std::size_t D>
using ConvTranspose = std::conditional_t<D == 1, GcaConvTranspose1d,
                                         std::conditional_t<D == 2, GcaConvTranspose2d, GcaConvTranspose3d>>;

template <std::size_t D>
Tensor random_input(const ActionSettings& s, std::int64_t batch = 2) {
  const std::int64_t space[3] = {5, 4, 3};
  std::vector<std::int64_t> sizes{batch, s.in_channels, static_cast<std::int64_t>(s.objects.size())};
  sizes.insert(sizes.end(), space, space + D);
  torch::manual_seed(11);
  return torch::randn(sizes, torch::kDouble);
}

template <std::size_t D>
std::vector<std::int64_t> list(const torch::ExpandingArray<D>& array) {
  return {array->begin(), array->end()};
}

template <std::size_t D>
std::vector<GcaConvOptions<D>> variants() {
  const Algebra g3(3), pga = Algebra::pga3d(), pga2 = Algebra::pga2d();
  std::array<Padding, D> mixed{};
  mixed.back() = Padding::circular;
  using O = GcaConvOptions<D>;
  return {O(g3, 2, 3, 2),
          O(g3, 2, 1, 3).padding(1).bias(true),
          O(g3, 1, 2, 3).padding(1).padding_mode(mixed).released(true),
          O(g3, 1, 2, 3).padding(2).padding_mode(Padding::circular).inverse(Inverse::exact),
          O(g3, 1, 1, 3).padding(1).padding_mode(Padding::reflect).stride(2),
          O(g3, 4, 2, 2).dilation(2).groups(2),
          O(pga2, 2, 4, 2).groups(2).bias(true),
          O(pga, 2, 2, 1).inverse(Inverse::normalized),
          O(pga, 1, 1, 2).objects(pga.blades(2))};
}

// The bias of constant blades: their images under all actions of the kernel.
Tensor constant_bias(const ActionParameters& layer, const ActionSettings& s) {
  if (!layer.delta.defined()) return {};
  const std::vector<Blade> constants = s.chosen_constants();
  const SandwichPlan plan({s.algebra, s.actions, constants, s.objects, {}});
  const Tensor a = layer.action.detach().flatten(3), w = layer.weight.detach().flatten(2);
  const std::int64_t group_rows = w.size(0) / (s.in_channels / w.size(1));
  const auto n = static_cast<std::int64_t>(s.objects.size());
  const Tensor bias = torch::zeros({w.size(0), n}, torch::kDouble);
  for (std::int64_t r = 0; r < w.size(0); ++r)
    for (std::int64_t c = 0; c < w.size(1); ++c)
      for (std::int64_t k = 0; k < w.size(2); ++k) {
        std::vector<double> action;
        for (std::int64_t i = 0; i < a.size(0); ++i) action.push_back(a[i][r][c][k].item<double>());
        const Tensor m = torch::tensor(plan.matrix(action, s.inverse, s.eps), torch::kDouble);
        bias[r] += w[r][c][k] * m.view({n, -1}).mv(layer.delta.detach()[r / group_rows * w.size(1) + c]);
      }
  return bias.flatten();
}

template <std::size_t D>
void expect_brute_force() {
  const torch::NoGradGuard no_grad;
  for (const auto& options : variants<D>()) {
    auto layer = random_layer<Conv<D>>(options);
    const Tensor x = random_input<D>(options.settings());
    Tensor wide = x.flatten(1, 2);
    for (std::size_t i = 0; i < D; ++i) {
      wide =
          padded(wide, static_cast<std::int64_t>(2 + i), (*options.padding())[i], options.padding_mode()[i]);
    }
    const std::vector<std::int64_t> none(D, 0);
    Tensor bias = constant_bias(*layer, options.settings());
    if (layer->bias.defined()) bias = bias.defined() ? bias + layer->bias.flatten() : layer->bias.flatten();
    const Tensor expected = torch::convolution(
        wide, kernel_by_matrices(*layer, options.settings(), false, false), bias, list(options.stride()),
        none, list(options.dilation()), false, none, options.groups());
    test::expect_close(layer(x).flatten(1, 2), expected, 1e-12, layer->name());
  }
}

TEST(GcaConv, IsTheConvolutionOfThePlansMatrices) {
  expect_brute_force<1>();
  expect_brute_force<2>();
  expect_brute_force<3>();
}

template <std::size_t D>
void expect_gradients() {
  for (const auto& options : variants<D>()) {
    auto layer = random_layer<Conv<D>>(options);
    const Tensor x = random_input<D>(options.settings(), 1).requires_grad_();
    std::vector<Tensor> inputs = layer->parameters();
    inputs.push_back(x);
    test::expect_gradients([&] { return layer(x); }, inputs);
  }
}

TEST(GcaConv, GradientsForEveryOption1d) { expect_gradients<1>(); }
TEST(GcaConv, GradientsForEveryOption2d) { expect_gradients<2>(); }
TEST(GcaConv, GradientsIn3d) {
  const auto options = GcaConv3dOptions(Algebra::pga3d(), 2, 1, 2).padding(1).groups(1);
  GcaConv3d layer = random_layer<GcaConv3d>(options);
  const Tensor x = torch::randn({1, 2, 3, 2, 3, 2}, torch::kDouble).requires_grad_();
  std::vector<Tensor> inputs = layer->parameters();
  inputs.push_back(x);
  test::expect_gradients([&] { return layer(x); }, inputs);
}

template <std::size_t D>
std::vector<GcaConvTransposeOptions<D>> transposed_variants() {
  const Algebra g3(3), pga = Algebra::pga3d();
  using O = GcaConvTransposeOptions<D>;
  return {O(g3, 2, 3, 2), O(g3, 2, 1, 3).stride(2).padding(1).output_padding(1).bias(true),
          O(g3, 2, 2, 2).released(true), O(g3, 4, 2, 2).groups(2).inverse(Inverse::exact),
          O(pga, 1, 2, 2).objects(pga.blades(2)).dilation(2)};
}

template <std::size_t D>
void expect_transposed() {
  for (const auto& options : transposed_variants<D>()) {
    auto layer = random_layer<ConvTranspose<D>>(options);
    const Tensor x = random_input<D>(options.settings(), 1).requires_grad_();
    const Tensor kernel = kernel_by_matrices(*layer, options.settings(), true, options.released());
    const Tensor bias = layer->bias.defined() ? layer->bias.flatten() : Tensor();
    const Tensor expected =
        torch::convolution(x.flatten(1, 2), kernel, bias, list(options.stride()), list(options.padding()),
                           list(options.dilation()), true, list(options.output_padding()), options.groups());
    test::expect_close(layer(x).flatten(1, 2), expected, 1e-12, layer->name());
    const torch::NoGradGuard no_grad;
    EXPECT_TRUE(torch::allclose(layer->to_torch()(x.flatten(1, 2)), expected));
  }
}

TEST(GcaConvTranspose, IsTheTransposedConvolutionOfThePlansMatrices) {
  expect_transposed<1>();
  expect_transposed<2>();
  expect_transposed<3>();
}

TEST(GcaConvTranspose, Gradients) {
  for (const auto& options : transposed_variants<1>()) {
    auto layer = random_layer<GcaConvTranspose1d>(options);
    const Tensor x = random_input<1>(options.settings(), 1).requires_grad_();
    std::vector<Tensor> inputs = layer->parameters();
    inputs.push_back(x);
    test::expect_gradients([&] { return layer(x); }, inputs);
  }
}

TEST(GcaConv, OfOnePositionIsTheLinearLayerAtEveryPoint) {
  const torch::NoGradGuard no_grad;
  const auto options = GcaConv2dOptions(Algebra::pga3d(), 3, 2, 1);
  GcaConv2d layer = random_layer<GcaConv2d>(options);
  const Tensor x = random_input<2>(options.settings());
  const AssembledKernel made = layer->assembled(true);
  const Tensor expected =
      torch::linear(x.permute({0, 3, 4, 1, 2}).flatten(3), made.kernel.flatten(1), made.bias);
  EXPECT_TRUE(torch::allclose(layer(x).permute({0, 3, 4, 1, 2}).flatten(3), expected));
}

TEST(GcaConv, SupportsAnyBatchTypeAndMemoryOrder) {
  const torch::NoGradGuard no_grad;
  const auto options = GcaConv2dOptions(Algebra(3), 2, 4, 3).padding(1).bias(true);
  GcaConv2d layer = random_layer<GcaConv2d>(options);
  const Tensor x = random_input<2>(options.settings(), 3);
  const Tensor y = layer(x);
  EXPECT_EQ(y.sizes(), torch::IntArrayRef({3, 4, 3, 5, 4}));
  EXPECT_TRUE(torch::allclose(layer(x.narrow(0, 1, 1)), y.narrow(0, 1, 1)));
  EXPECT_EQ(layer(x.narrow(0, 0, 0)).sizes(), torch::IntArrayRef({0, 4, 3, 5, 4}));
  const Tensor strided = x.permute({0, 3, 4, 1, 2}).contiguous().permute({0, 3, 4, 1, 2});
  ASSERT_FALSE(strided.is_contiguous());
  EXPECT_TRUE(torch::allclose(layer(strided), y));
  layer->to(torch::kFloat);
  EXPECT_TRUE(torch::allclose(layer(x.to(torch::kFloat)).to(torch::kDouble), y, 1e-4, 1e-4));
  const Tensor half = layer(x.to(torch::kBFloat16)).to(torch::kDouble);
  EXPECT_LT((half - y).abs().max().item<double>(), 0.05 * y.abs().max().item<double>());
}

TEST(GcaConv, EvaluatesFromTheCachedKernelAndFolds) {
  const torch::NoGradGuard no_grad;
  for (const auto& options : variants<2>()) {
    auto layer = random_layer<GcaConv2d>(options);
    const Tensor x = random_input<2>(options.settings());
    const Tensor y = layer(x);
    layer->eval();
    EXPECT_TRUE(torch::equal(layer(x), y));
    EXPECT_TRUE(torch::equal(layer(x), y));
    layer->weight.mul_(2);
    EXPECT_FALSE(torch::allclose(layer(x), y));
    const auto& modes = options.padding_mode();
    if (modes[0] != modes[1]) {
      EXPECT_NE(error_of([&] { (void)layer->to_torch(); }).find("different padding modes"),
                std::string::npos);
    } else {
      EXPECT_TRUE(torch::allclose(layer->to_torch()(x.flatten(1, 2)), layer(x).flatten(1, 2)));
    }
  }
}

TEST(GcaConv, ClonesAndPrints) {
  const torch::NoGradGuard no_grad;
  const auto options = GcaConv2dOptions(Algebra(3), 2, 4, {3, 1}).padding({1, 0}).groups(2);
  GcaConv2d layer = random_layer<GcaConv2d>(options);
  const Tensor x = random_input<2>(options.settings());
  const auto copy = std::dynamic_pointer_cast<GcaConv2dImpl>(layer->clone());
  EXPECT_TRUE(torch::equal(copy->forward(x), layer(x)));
  std::ostringstream text;
  text << layer;
  EXPECT_EQ(text.str(),
            "gcan::nn::GcaConv2d(G(3,0,0), 2 -> 4, e1 e2 e3, kernel (3, 1), padding (1, 0), groups 2)");
}

TEST(GcaConv, ErrorsNameTheLayer) {
  const Algebra g3(3), pga = Algebra::pga3d();
  GcaConv2d layer(GcaConv2dOptions(g3, 2, 2, 3).padding(3).padding_mode(Padding::circular));
  EXPECT_EQ(error_of([&] {
              layer(torch::zeros({1, 2, 3, 8}));
            }),
            "GcaConv2d(G(3,0,0), 2 -> 2, e1 e2 e3, kernel (3, 3), padding (3, 3)) got a tensor of shape "
            "(1, 2, 3, 8), expected (*, 2, 3, *, *)");
  EXPECT_NE(error_of([&] { layer(torch::zeros({1, 2, 3, 2, 8})); }).find("too few"), std::string::npos);
  EXPECT_NE(error_of([&] { GcaConv2d(GcaConv2dOptions(g3, 3, 2, 3).groups(2)); }).find("groups"),
            std::string::npos);
  EXPECT_NE(error_of([&] { GcaConv2d(GcaConv2dOptions(g3, 2, 2, 0)); }).find("kernel size of 0"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { GcaConv2d(GcaConv2dOptions(g3, 2, 2, 1).groups(2).released(true)); }).find("released"),
      std::string::npos);
  EXPECT_NE(
      error_of([&] {
        GcaConvTranspose1d(GcaConvTranspose1dOptions(pga, 1, 1, 2).constants({pga.blade("e123").blade}));
      }).find("do not act as a bias"),
      std::string::npos);
}

// The released layers store a quaternion (q0, q1, q2, q3) = (a0, -a23, a13, -a12), components last.
struct Released {
  const test::ReferenceFile& file;
  std::string group;

  Tensor action(const std::string& kind) const {
    const auto q = [&](int i) { return file.tensor(group + kind + "/action" + std::to_string(i)); };
    return torch::stack({q(0), -q(3), q(2), -q(1)});  // 1, e12, e13, e23
  }
  Tensor bias(const std::string& kind) const {
    std::vector<Tensor> parts;
    for (int i = 0; i < 3; ++i) parts.push_back(file.tensor(group + kind + "/bias" + std::to_string(i)));
    return torch::stack(parts, 1);
  }
  // (N, C, H, W, 3) to (N, C, 3, H, W)
  Tensor features(const std::string& name) const {
    return file.tensor(group + name).permute({0, 1, 4, 2, 3});
  }

  template <class Layer>
  void check(Layer& layer) const {
    layer->to(torch::kDouble);
    {
      const torch::NoGradGuard no_grad;
      layer->action.copy_(action("param"));
      layer->weight.copy_(file.tensor(group + "param/scale"));
      if (layer->bias.defined()) layer->bias.copy_(bias("param"));
    }
    const Tensor x = features("input").contiguous().requires_grad_();
    const Tensor y = layer(x);
    y.backward(features("grad_output"));
    test::expect_close(y, features("output"), 1e-10, group + "output");
    test::expect_close(x.grad(), features("grad_input"), 1e-10, group + "grad_input");
    test::expect_close(layer->action.grad(), action("grad_param"), 1e-10, group + "action");
    test::expect_close(layer->weight.grad(), file.tensor(group + "grad_param/scale"), 1e-10, group + "scale");
    if (layer->bias.defined()) {
      test::expect_close(layer->bias.grad(), bias("grad_param"), 1e-10, group + "bias");
    }
  }
};

TEST(GcaConv, ReproducesTheReleasedLayers) {
  const auto file = test::ReferenceFile::open("layers.h5");
  if (!file) GTEST_SKIP() << test::ReferenceFile::missing("layers.h5");
  for (const std::string name :
       {"g3_conv2d_1x1", "g3_conv2d_same", "g3_conv2d_stride2", "g3_conv_transpose2d"}) {
    const Released released{*file, name + "/"};
    const Tensor scale = file->tensor(name + "/param/scale");
    const std::int64_t stride = file->integer(name, "stride"), padding = file->integer(name, "padding");
    const std::int64_t kernel = file->integer(name, "kernel");
    if (name == "g3_conv_transpose2d") {
      GcaConvTranspose2d layer(GcaConvTranspose2dOptions(Algebra(3), scale.size(0), scale.size(1), kernel)
                                   .stride(stride)
                                   .padding(padding)
                                   .released(true));
      released.check(layer);
    } else {
      GcaConv2d layer(GcaConv2dOptions(Algebra(3), scale.size(1), scale.size(0), kernel)
                          .stride(stride)
                          .padding(padding)
                          .bias(file->has(name + "/param/bias0"))
                          .released(true));
      released.check(layer);
    }
  }
}

TEST(GcaConv, IsALayerOfASequential) {
  torch::nn::Sequential network(GcaConv2d(GcaConv2dOptions(Algebra(3), 2, 4, 3).padding(1)),
                                GcaConv2d(GcaConv2dOptions(Algebra(3), 4, 1, 3).padding(1)));
  EXPECT_EQ(network->forward(torch::randn({2, 2, 3, 8, 8})).sizes(), (torch::IntArrayRef{2, 1, 3, 8, 8}));
}

}  // namespace conv_test
}  // namespace gcan::nn
