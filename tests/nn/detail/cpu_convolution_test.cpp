#include "gcan/nn/detail/cpu_convolution.h"

#include <gtest/gtest.h>

#include "tests/nn/compare.h"

namespace gcan::nn::detail {
namespace cpu_convolution_test {

using torch::Tensor;

struct Case {
  const char* what;
  ConvolutionWay way;
  std::array<std::int64_t, 5> sizes;  // samples, in, out, height, width
  std::int64_t kernel;
  ConvolutionSettings settings;
};

ConvolutionSettings settings_of(std::int64_t stride, std::int64_t padding, std::array<Padding, 2> modes,
                                bool transposed = false) {
  return {{stride, stride}, {padding, padding}, {1, 1}, {modes.begin(), modes.end()}, 1, transposed};
}

constexpr std::array<Padding, 2> kZeros{}, kRound = {Padding::zeros, Padding::circular};

std::vector<Case> cases() {
  const auto winograd = ConvolutionWay::winograd, direct = ConvolutionWay::direct;
  return {{"3x3", winograd, {2, 6, 9, 12, 16}, 3, settings_of(1, 1, kRound)},
          {"3x3 on a grid of odd size", winograd, {3, 17, 5, 13, 7}, 3, settings_of(1, 1, kZeros)},
          {"3x3 without padding", winograd, {2, 4, 4, 9, 10}, 3, settings_of(1, 0, kZeros)},
          {"3x3 of few channels", direct, {2, 3, 9, 8, 8}, 3, settings_of(1, 1, kRound)},
          {"one point", direct, {2, 20, 7, 5, 6}, 1, settings_of(1, 0, kZeros)},
          {"stride", direct, {2, 6, 9, 8, 12}, 3, settings_of(2, 1, kRound)},
          {"stride on a grid of odd size", direct, {1, 6, 9, 7, 9}, 3, settings_of(2, 1, kZeros)},
          {"transposed", direct, {2, 6, 9, 4, 6}, 4, settings_of(2, 1, kZeros, true)},
          {"transposed on a circle", direct, {1, 6, 9, 4, 6}, 4, settings_of(2, 1, kRound, true)}};
}

// Input, kernel and bias in float, and LibTorch's results for them in double.
struct Reference {
  explicit Reference(const Case& c) {
    const auto [samples, in, out, height, width] = c.sizes;
    torch::manual_seed(1);
    x = torch::randn({samples, in, height, width});
    const bool turned = c.settings.transposed;
    made = {torch::randn({turned ? in : out, turned ? out : in, c.kernel, c.kernel}), torch::randn({out})};
    const auto leaf = [](const Tensor& t) { return t.to(torch::kDouble).requires_grad_(); };
    const Tensor xd = leaf(x), kd = leaf(made.kernel), bd = leaf(made.bias);
    y = convolve_with("layer", xd, c.settings, {kd, bd});
    dy = torch::randn_like(y).detach();
    y.backward(dy);
    gradients = {xd.grad(), kd.grad(), bd.grad()};
  }
  Tensor x, y, dy;
  AssembledKernel made;
  std::array<Tensor, 3> gradients;
};

double error_of(const Tensor& found, const Tensor& exact) {
  return ((found.to(torch::kDouble) - exact).norm() / exact.norm()).item<double>();
}

TEST(CpuConvolution, MatchesTheConvolutionAndItsGradients) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.what);
    const Reference r(c);
    ASSERT_EQ(way_of(r.x, r.made.kernel, c.settings), c.way);
    for (const int threads : {1, 2}) {
      const int before = at::get_num_threads();
      at::set_num_threads(threads);
      const Tensor y = cpu_convolution(c.way, r.x, c.settings, r.made);
      const auto found = cpu_convolution_gradients(c.way, r.dy.to(torch::kFloat), r.x, c.settings,
                                                   r.made.kernel, {true, true, true});
      at::set_num_threads(before);
      ASSERT_EQ(y.sizes(), r.y.sizes());
      EXPECT_LT(error_of(y, r.y), 5e-6);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(error_of(found[i], r.gradients[i]), 5e-6) << i;
    }
  }
}

// At the size of the paper's networks Winograd's algorithm loses one digit, but not more.
TEST(CpuConvolution, LosesLittleOnLargeSums) {
  const Case c{"large", ConvolutionWay::winograd, {1, 192, 192, 24, 48}, 3, settings_of(1, 1, kZeros)};
  const Reference r(c);
  EXPECT_LT(error_of(cpu_convolution(ConvolutionWay::winograd, r.x, c.settings, r.made), r.y), 5e-6);
  EXPECT_LT(error_of(cpu_convolution(ConvolutionWay::direct, r.x, c.settings, r.made), r.y), 1e-6);
}

TEST(CpuConvolution, LeavesTheRestToLibtorch) {
  const Tensor x = torch::zeros({1, 8, 16, 16}), kernel = torch::zeros({8, 8, 3, 3});
  const auto way = [&](const ConvolutionSettings& s) { return way_of(x, kernel, s); };
  EXPECT_EQ(way(settings_of(1, 1, kZeros)), ConvolutionWay::winograd);
  EXPECT_EQ(way(settings_of(3, 1, kZeros)), ConvolutionWay::libtorch);
  EXPECT_EQ(way(settings_of(1, 1, {Padding::zeros, Padding::reflect})), ConvolutionWay::libtorch);
  auto other = settings_of(1, 1, kZeros);
  other.dilation = {2, 2};
  EXPECT_EQ(way(other), ConvolutionWay::libtorch);
  other = settings_of(1, 1, kZeros);
  other.bfloat16 = true;
  EXPECT_EQ(way(other), ConvolutionWay::libtorch);
  EXPECT_EQ(way_of(x.to(torch::kDouble), kernel.to(torch::kDouble), settings_of(1, 1, kZeros)),
            ConvolutionWay::libtorch);
  EXPECT_EQ(way_of(x, torch::zeros({8, 8, 7, 7}), settings_of(1, 3, kZeros)), ConvolutionWay::libtorch);
}

TEST(CpuConvolution, AlgorithmCanBeChosen) {
  const Tensor x = torch::zeros({1, 8, 16, 16}), kernel = torch::zeros({8, 8, 3, 3});
  const auto settings = settings_of(1, 1, kZeros);
  for (const auto way : {ConvolutionWay::libtorch, ConvolutionWay::direct, ConvolutionWay::winograd}) {
    const ConvolutionWayGuard guard(way);
    EXPECT_EQ(way_of(x, kernel, settings), way);
    EXPECT_EQ(wants_libtorch(), way == ConvolutionWay::libtorch);
  }
  EXPECT_EQ(way_of(x, kernel, settings), ConvolutionWay::winograd);
  EXPECT_FALSE(wants_libtorch());
}

}  // namespace cpu_convolution_test
}  // namespace gcan::nn::detail
