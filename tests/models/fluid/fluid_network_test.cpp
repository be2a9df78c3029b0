#include "gcan/models/fluid/fluid_network.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "gcan/base/error.h"
#include "gcan/models/fluid/unet.h"
#include "tests/models/fluid/fluid.h"
#include "tests/nn/compare.h"

namespace gcan::models {
namespace fluid_network_test {

using torch::Tensor;

Tensor random_frames(std::int64_t height, std::int64_t width, std::int64_t planes = 3) {
  return torch::randn({1, 2, planes, height, width}, torch::kDouble);
}

// oneDNN reads this on first use: it would use AMX for bfloat16, which not every machine allows.
const int kNoAmx = setenv("DNNL_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);

// The options of a network that is small enough for finite differences.
std::vector<std::string> small(const std::string& name, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"channels=2", "history=2"});
  if (name.find("resnet") != std::string::npos) more.emplace_back("blocks=2");
  return more;
}

// The slope along random directions through all parameters and the input at once, against central
// differences.
void expect_slopes(FluidNetwork& network, const Tensor& input) {
  const Tensor x = input.clone().requires_grad_();
  auto leaves = network.parameters();
  leaves.push_back(x);
  const Tensor weights = torch::randn_like(network.forward(x).detach());
  const auto loss = [&] { return (network.forward(x) * weights).sum(); };
  for (Tensor& leaf : leaves) leaf.mutable_grad() = Tensor();
  loss().backward();
  const torch::NoGradGuard no_grad;
  for (int direction = 0; direction < 3; ++direction) {
    double slope = 0;
    std::vector<Tensor> steps;
    for (const Tensor& leaf : leaves) {
      steps.push_back(torch::randn_like(leaf));
      ASSERT_TRUE(leaf.grad().defined());
      slope += (leaf.grad() * steps.back()).sum().item<double>();
    }
    const double size = 1e-6;
    const auto moved = [&](double by) {
      for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i].add_(steps[i], by);
      return loss().item<double>();
    };
    const double above = moved(size);
    const double below = moved(-2 * size);
    moved(size);
    const double expected = (above - below) / (2 * size);
    EXPECT_NEAR(slope, expected, 1e-5 * (1 + std::abs(expected)));
  }
}

TEST(FluidNetwork, GradientsOfEveryNetwork) {
  for (const std::string& name : test::fluid_names()) {
    SCOPED_TRACE(name);
    expect_slopes(*test::small_network(name, small(name)), random_frames(16, 16));
    expect_slopes(*test::small_network(name, small(name, {"padding_x=circular", "recompute=true"})),
                  random_frames(16, 24));
  }
}

TEST(FluidNetwork, GradientsOfThePapersVariantAndOfOtherFields) {
  for (const std::string name : {"gca-resnet", "gca-unet"}) {
    SCOPED_TRACE(name);
    expect_slopes(*test::small_network(name, small(name, {"variant=paper"})), random_frames(16, 16));
    expect_slopes(*test::small_network(name, small(name, {"activation=mean", "norm=false", "fields=v,s,s"})),
                  random_frames(16, 16, 4));
  }
}

// Values and gradients of two networks with the same parameters.
void expect_same(FluidNetwork& a, FluidNetwork& b, const Tensor& input) {
  const auto run = [&](FluidNetwork& network) {
    const Tensor x = input.clone().requires_grad_();
    const Tensor y = network.forward(x);
    y.square().sum().backward();
    std::vector<Tensor> all{y.detach(), x.grad()};
    for (const Tensor& p : network.parameters()) all.push_back(p.grad());
    return all;
  };
  const auto first = run(a), second = run(b);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) test::expect_close(second[i], first[i], 1e-12, "both");
}

TEST(FluidNetwork, RecomputationGivesTheSame) {
  for (const std::string& name : test::fluid_names()) {
    SCOPED_TRACE(name);
    const Tensor x = random_frames(16, 16);
    auto plain = test::small_network(name, small(name, {"recompute=false"}));
    expect_same(*plain, *test::small_network(name, small(name, {"recompute=true"})), x);
    plain = test::small_network(name, small(name, {"recompute=false"}));
    expect_same(*plain, *test::small_network(name, small(name, {"checkpoint=true"})), x);
  }
}

TEST(FluidNetwork, FoldedIsTheSameOnPlainKernels) {
  for (const std::string& name : test::fluid_names()) {
    for (const std::string padding : {"zeros", "circular"}) {
      SCOPED_TRACE(name + " " + padding);
      const auto network = test::small_network(name, small(name, {"padding_x=" + padding}));
      network->eval();
      const Tensor x = random_frames(16, 24);
      const Tensor y = network->forward(x);
      fold(*network);
      test::expect_close(network->forward(x), y, 1e-12, "folded");
      for (const auto& item : network->named_parameters()) {
        EXPECT_EQ(item.key().find("action"), std::string::npos) << item.key();
      }
    }
  }
}

// On a periodic grid, shifting the input shifts the output; for UNets by multiples of 8 columns.
TEST(FluidNetwork, ACircularDimensionHasNoSeam) {
  for (const std::string& name : test::fluid_names()) {
    SCOPED_TRACE(name);
    const auto network = test::small_network(name, small(name, {"padding_x=circular"}));
    const Tensor x = random_frames(16, 24);
    const Tensor turned = network->forward(x.roll(8, 4));
    test::expect_close(turned, network->forward(x).roll(8, 4), 1e-10, "turned");
  }
}

// With all blades of G(3,0,0) stored, vectors map to vectors for any parameters: only a bias, which is not an
// action, could add another grade.
TEST(FluidNetwork, VectorsStayVectorsThroughTheWholeNetwork) {
  for (const bool released : {true, false}) {
    FluidSettings settings(Family::gca);
    settings.layers.objects = settings.layers.algebra.blades();
    settings.layers.released = released;
    settings.channels = 2;
    settings.history = 2;
    class Whole : public UNet {
     public:
      using UNet::UNet;
      Tensor features(const Tensor& x) { return run(x); }
    };
    const auto network = std::make_shared<Whole>("GCA-UNet", settings);
    network->to(torch::kDouble);
    {
      const torch::NoGradGuard no_grad;
      for (auto& item : network->named_parameters()) {
        const bool gate = item.key().find("gate") != std::string::npos;
        if (!gate && item.key().ends_with("bias")) item.value().zero_();
      }
    }
    Tensor x = torch::zeros({1, 2, 8, 16, 16}, torch::kDouble);
    x.narrow(2, 1, 3).normal_();
    const Tensor y = network->features(x);
    EXPECT_GT(y.narrow(2, 1, 3).abs().max().item<double>(), 1e-3);
    EXPECT_EQ(y.narrow(2, 0, 1).abs().max().item<double>(), 0);
    EXPECT_EQ(y.narrow(2, 4, 4).abs().max().item<double>(), 0);
  }
}

TEST(FluidNetwork, BFloat16IsClose) {
  for (const std::string name : {"gca-resnet", "resnet", "cresnet-rot"}) {
    SCOPED_TRACE(name);
    ASSERT_EQ(kNoAmx, 0);
    const std::vector<std::string> options = {"channels=8", "blocks=1", "history=2"};
    const auto exact = test::fluid_network(name, options);
    auto with = options;
    with.emplace_back("precision=bfloat16");
    const auto rough = test::fluid_network(name, with);
    const Tensor x = random_frames(16, 16).to(torch::kFloat);
    const Tensor expected = exact->forward(x), y = rough->forward(x);
    EXPECT_EQ(y.scalar_type(), torch::kFloat);
    const double error = (y - expected).norm().item<double>() / expected.norm().item<double>();
    EXPECT_LT(error, 0.05);
    EXPECT_GT(error, 0);
    y.sum().backward();
    for (const Tensor& p : rough->parameters()) EXPECT_EQ(p.grad().scalar_type(), torch::kFloat);
  }
}

TEST(FluidNetwork, WrongInputIsAnError) {
  const auto unet = test::small_network("gca-unet", small("gca-unet"));
  EXPECT_THROW(unet->forward(random_frames(16, 20)), Error);
  EXPECT_THROW(unet->forward(random_frames(12, 16)), Error);
  EXPECT_THROW(unet->forward(random_frames(16, 16, 2)), Error);
  EXPECT_THROW(unet->forward(random_frames(16, 16).narrow(0, 0, 0)), Error);
  EXPECT_THROW(unet->forward(random_frames(0, 16)), Error);
  EXPECT_THROW(unet->forward(random_frames(16, 16)[0]), Error);
  EXPECT_THROW(unet->forward(random_frames(16, 16).to(torch::kFloat)), Error);
  EXPECT_THROW(unet->forward(Tensor()), Error);
  const auto resnet = test::small_network("gca-resnet", small("gca-resnet"));
  EXPECT_EQ(resnet->forward(random_frames(5, 7)).sizes(), (torch::IntArrayRef{1, 1, 3, 5, 7}));
  EXPECT_THROW(test::fluid_network("gca-resnet", {"fields=s,w"}), Error);
  EXPECT_THROW(test::fluid_network("gca-resnet", {"fields="}), Error);
}

}  // namespace fluid_network_test
}  // namespace gcan::models
