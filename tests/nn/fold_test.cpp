#include "gcan/nn/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "gcan/nn.h"
#include "tests/nn/compare.h"

namespace gcan::nn {
namespace fold_test {

using torch::Tensor;

const Algebra kSpace = Algebra::pga3d();
const Algebra kVectors(3);

bool has_actions(const torch::nn::Module& module) {
  const auto parameters = module.named_parameters();
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const auto& item) { return item.key().find("action") != std::string::npos; });
}

// The layer before and after folding, its copy, and its errors.
template <class Layer>
void expect_folds(Layer layer, const Tensor& x) {
  SCOPED_TRACE(c10::str(*layer));
  layer->to(torch::kDouble);
  const Tensor y = layer->forward(x);
  EXPECT_FALSE(layer->is_folded());
  EXPECT_EQ(fold(*layer), 1);
  EXPECT_TRUE(layer->is_folded());
  test::expect_close(layer->forward(x), y, 1e-12, "folded");
  EXPECT_FALSE(has_actions(*layer));
  EXPECT_EQ(layer->weight.dim(), x.dim() - 1);
  EXPECT_EQ(fold(*layer), 0);
  EXPECT_THROW(layer->reset_parameters(), Error);

  const auto copy = std::dynamic_pointer_cast<typename Layer::ContainedType>(layer->clone());
  ASSERT_TRUE(copy);
  EXPECT_TRUE(copy->is_folded());
  test::expect_close(copy->forward(x), y, 1e-12, "copy");
  {
    const torch::NoGradGuard no_grad;
    copy->weight.zero_();
  }
  test::expect_close(layer->forward(x), y, 1e-12, "after the copy changed");
  layer->forward(x).sum().backward();
  EXPECT_TRUE(layer->weight.grad().defined());
}

TEST(Fold, EveryLayerComputesTheSameOnAPlainKernel) {
  torch::manual_seed(1);
  const auto random = [](torch::IntArrayRef sizes) { return torch::randn(sizes, torch::kDouble); };
  expect_folds(GcaLinear(kSpace, 3, 4), random({5, 3, 3}));
  expect_folds(GcaLinear(GcaLinearOptions(kSpace, 3, 4).bias(true)), random({5, 3, 3}));
  const PaddingModes<2> globe = {Padding::zeros, Padding::circular};
  expect_folds(GcaConv2d(GcaConv2dOptions(kVectors, 2, 3, 3).padding(1).padding_mode(globe).bias(true)),
               random({2, 2, 3, 6, 8}));
  expect_folds(GcaConv1d(kSpace, 2, 3, 2), random({2, 2, 3, 6}));
  expect_folds(GcaConvTranspose2d(GcaConvTranspose2dOptions(kVectors, 2, 3, 4).stride(2).padding(1)),
               random({2, 2, 3, 4, 4}));
  expect_folds(CliffordLinear(kVectors, 2, 3), random({4, 2, 8}));
  expect_folds(CliffordConv2d(CliffordConv2dOptions(Algebra(2), 2, 4, 3).groups(2)), random({2, 2, 4, 5, 6}));
  expect_folds(CliffordConv2d(CliffordConv2dOptions(Algebra(0, 2), 2, 4, 3).rotation(true).bias(false)),
               random({2, 2, 4, 5, 6}));
  expect_folds(CliffordConvTranspose2d(CliffordConvTranspose2dOptions(Algebra(2), 2, 3, 4).stride(2)),
               random({2, 2, 4, 5, 6}));
}

TEST(Fold, ReachesTheLayersOfASequentialAndOfAUsersModule) {
  struct Own : torch::nn::Module {
    GcaLinear layer = register_module("layer", GcaLinear(kSpace, 4, 2));
    Tensor forward(const Tensor& x) { return layer(x); }
  };
  torch::nn::Sequential network(GcaLinear(kSpace, 1, 4), GcaNorm(kSpace, 4), MSiLU(kSpace, 4),
                                std::make_shared<Own>());
  network->eval();
  const Tensor x = torch::randn({5, 1, 3});
  const Tensor y = network->forward(x);
  EXPECT_EQ(fold(*network), 2);
  EXPECT_FALSE(has_actions(*network));
  test::expect_close(network->forward(x), y, 1e-5, "folded");

  torch::nn::Sequential plain(torch::nn::Linear(3, 2));
  EXPECT_EQ(fold(*plain), 0);
}

TEST(Fold, AFoldedLayerIsSavedAndLoaded) {
  const std::string path = testing::TempDir() + "/gcan_folded.pt";
  GcaLinear first(kSpace, 2, 2), second(kSpace, 2, 2);
  fold(*first);
  fold(*second);
  torch::save(first, path);
  torch::load(second, path);
  std::filesystem::remove(path);
  const Tensor x = torch::randn({3, 2, 3});
  test::expect_close(second(x), first(x), 0, "loaded");
}

}  // namespace fold_test
}  // namespace gcan::nn
