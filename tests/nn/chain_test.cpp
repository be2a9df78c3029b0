// Short constructors and options: the layers as a LibTorch program uses them.

#include <gtest/gtest.h>

#include <array>

#include "gcan/nn.h"

namespace gcan::nn {
namespace chain_test {

using torch::Tensor;

TEST(Chain, LayersOfOneAlgebraFitTogetherByDefault) {
  for (const Algebra& algebra : {Algebra::pga3d(), Algebra::pga2d(), Algebra(3), Algebra(1, 3)}) {
    SCOPED_TRACE(algebra.to_string());
    torch::nn::Sequential points(GcaLinear(algebra, 2, 4), GcaNorm(algebra, 4), MSiLU(algebra, 4),
                                 NormMSiLU(algebra, 4), GcaLinear(algebra, 4, 1));
    const auto blades = static_cast<std::int64_t>(default_objects(algebra).size());
    EXPECT_EQ(points->forward(torch::randn({3, 2, blades})).sizes(), (torch::IntArrayRef{3, 1, blades}));
    torch::nn::Sequential grid(GcaConv2d(algebra, 2, 4, 3), GcaNorm(algebra, 4), MSiLU(algebra, 4));
    EXPECT_EQ(grid->forward(torch::randn({1, 2, blades, 6, 6})).sizes(),
              (torch::IntArrayRef{1, 4, blades, 4, 4}));
    EXPECT_EQ(GcaConvTranspose2d(Algebra(3), 4, 2, 3)(torch::randn({1, 4, 3, 4, 4})).sizes(),
              (torch::IntArrayRef{1, 2, 3, 6, 6}));
  }
}

TEST(Chain, CliffordLayersFitTogetherByDefault) {
  const Algebra g2(2);
  torch::nn::Sequential grid(CliffordConv2d(g2, 2, 4, 3), CliffordGroupNorm(g2, 1, 4), torch::nn::GELU(),
                             CliffordBatchNorm(g2, 4), CliffordConvTranspose2d(g2, 4, 1, 3));
  EXPECT_EQ(grid->forward(torch::randn({2, 2, 4, 6, 6})).sizes(), (torch::IntArrayRef{2, 1, 4, 6, 6}));
  EXPECT_EQ(CliffordLinear(g2, 2, 3)(torch::randn({5, 2, 4})).sizes(), (torch::IntArrayRef{5, 3, 4}));
}

TEST(Chain, PointsPassThroughEmbedAndExtract) {
  const Algebra pga = Algebra::pga3d();
  const auto options = EmbedOptions(pga, Object::point).weight(false);
  torch::nn::Sequential network(Embed(options), GcaLinear(pga, 2, 3), Extract(options));
  EXPECT_EQ(network->forward(torch::randn({4, 2, 3})).sizes(), (torch::IntArrayRef{4, 3, 3}));
  EXPECT_EQ(Embed(pga, Object::point)(torch::zeros({1, 1, 3})).size(2), 4);
  EXPECT_EQ(Extract(pga, Object::point)(torch::ones({1, 1, 4})).size(2), 3);
}

TEST(Chain, OptionsHaveAGetterForEverySetter) {
  const Algebra pga = Algebra::pga3d();
  const auto linear = GcaLinearOptions(pga, 2, 3)
                          .actions(pga.even_blades())
                          .objects(pga.blades(1))
                          .constants({})
                          .inverse(Inverse::normalized)
                          .eps(0.5)
                          .bias(true)
                          .delta0(0.25);
  EXPECT_EQ(linear.algebra(), pga);
  EXPECT_EQ(linear.in_channels(), 2);
  EXPECT_EQ(linear.out_channels(), 3);
  EXPECT_EQ(linear.actions(), pga.even_blades());
  EXPECT_EQ(linear.objects(), pga.blades(1));
  EXPECT_TRUE(linear.constants().empty());
  EXPECT_EQ(linear.inverse(), Inverse::normalized);
  EXPECT_EQ(linear.eps(), 0.5);
  EXPECT_TRUE(linear.bias());
  EXPECT_EQ(linear.delta0(), 0.25);
  EXPECT_FALSE(linear.released());

  const auto released = GcaConv2dOptions(Algebra(3), 1, 1, 3).eps(1).released(true);
  EXPECT_TRUE(released.released());
  EXPECT_EQ(released.inverse(), Inverse::regularized);
  EXPECT_EQ(released.eps(), 1e-4);
  EXPECT_EQ(released.delta0(), 0);
  EXPECT_EQ(GcaNormOptions(pga, 1).released(true).scale(), NormScale::per_channel);
  EXPECT_EQ(MSiLUOptions(pga, 1).released(true).gates(), Gates::per_channel);
  EXPECT_EQ(MSiLUOptions(pga, 1).released(false).gates(), Gates::per_grade);
}

TEST(Chain, PaddingModesAreThoseOfLibTorchForAllOrForEachDimension) {
  const GcaConv2dOptions options(Algebra(3), 1, 1, 3);
  const auto modes = [&](const PaddingModes<2>& given) {
    return GcaConv2dOptions(options).padding_mode(given).padding_mode();
  };
  const std::array<Padding, 2> circular = {Padding::circular, Padding::circular};
  EXPECT_EQ(modes(Padding::circular), circular);
  EXPECT_EQ(modes(torch::kCircular), circular);
  EXPECT_EQ(modes(torch::kReflect)[1], Padding::reflect);
  EXPECT_EQ(modes(torch::kZeros)[0], Padding::zeros);
  EXPECT_EQ(modes({Padding::zeros, Padding::circular})[0], Padding::zeros);
  EXPECT_EQ(modes({Padding::zeros, Padding::circular})[1], Padding::circular);
  EXPECT_THROW(modes({Padding::zeros, Padding::zeros, Padding::zeros}), Error);
}

}  // namespace chain_test
}  // namespace gcan::nn
