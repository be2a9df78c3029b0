// Networks as LibTorch modules: options, copies, printing, files.

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "gcan/models.h"
#include "tests/models/networks.h"
#include "tests/nn/compare.h"

namespace gcan::models {
namespace modules_test {

using torch::Tensor;

const Tensor& scene() {
  static const Tensor x = torch::randn({2, 1, 4, 6, 3});
  return x;
}

const Tensor& frames() {
  static const Tensor x = torch::randn({1, 2, 3, 16, 16});
  return x;
}

void change(torch::nn::Module& module) {
  const torch::NoGradGuard no_grad;
  for (Tensor& p : module.parameters()) p.add_(torch::rand_like(p));
}

// Checks for every network, given two with the same options.
template <class Holder>
void expect_module(Holder network, Holder other, const Tensor& x, const std::string& name) {
  SCOPED_TRACE(name);
  const Tensor y = network(x);
  EXPECT_FALSE(torch::equal(other(x), y));

  const auto copy = std::dynamic_pointer_cast<typename Holder::ContainedType>(network->clone());
  ASSERT_TRUE(copy);
  EXPECT_TRUE(torch::equal(copy->forward(x), y));
  change(*copy);
  EXPECT_TRUE(torch::equal(network(x), y));

  std::ostringstream text;
  text << network;
  EXPECT_NE(text.str().find(name), std::string::npos) << text.str();

  const std::string path = testing::TempDir() + "/gcan_network.pt";
  torch::save(network, path);
  torch::load(other, path);
  std::filesystem::remove(path);
  EXPECT_TRUE(torch::equal(other(x), y));

  network->eval();
  EXPECT_FALSE(std::dynamic_pointer_cast<Network>(network->clone())->is_training());
  const auto folded = fold(*network);
  test::expect_close(network(x), y, 1e-4, "folded");
  if (folded > 0) {
    const auto again = std::dynamic_pointer_cast<typename Holder::ContainedType>(network->clone());
    test::expect_close(again->forward(x), y, 1e-4, "copy of the folded");
    network->to(torch::kDouble);
    test::expect_close(network(x.to(torch::kDouble)), y.to(torch::kDouble), 1e-4, "folded in double");
  }
}

template <class Holder, class Options>
void expect_scene_network(Options options, const std::string& name) {
  options.points(6);
  expect_module(Holder(options), Holder(options), scene(), name);
}

TEST(Modules, NetworksOfScenes) {
  torch::manual_seed(1);
  expect_scene_network<Mlp>(MlpOptions().width(16), "MLP");
  expect_scene_network<MotorMlp>(MotorMlpOptions().width(16), "Motor-MLP");
  expect_scene_network<Emlp>(EmlpOptions().width(40).layers(1), "SO(3)-MLP");
  expect_scene_network<GcaMlp>(GcaMlpOptions().channels(8).delta0(1), "GCA-MLP");
  expect_scene_network<GcaGnn>(GcaGnnOptions().channels(8).layers(2).norm(true), "GCA-GNN");
  expect_scene_network<Gnn>(GnnOptions().width(16).layers(2).distances(true), "GNN");
  expect_scene_network<EdgeConv>(EdgeConvOptions().width(16).layers(2).neighbours(3), "EdgeConv");
}

template <class Holder, class Options>
void expect_fluid_network(Options options, const std::string& name) {
  options.channels(4).history(2);
  expect_module(Holder(options), Holder(options), frames(), name);
}

TEST(Modules, NetworksOfFluids) {
  torch::manual_seed(2);
  expect_fluid_network<UNet2d>(UNet2dOptions(), "UNet");
  expect_fluid_network<CliffordUNet2d>(CliffordUNet2dOptions(), "CUNet");
  expect_fluid_network<GcaUNet2d>(GcaUNet2dOptions(), "GCA-UNet");
  expect_fluid_network<ResNet2d>(ResNet2dOptions().blocks(1), "ResNet");
  expect_fluid_network<CliffordResNet2d>(CliffordResNet2dOptions().rotation(true).blocks(1), "CResNet");
  expect_fluid_network<GcaResNet2d>(GcaResNet2dOptions().released(false).blocks(1), "GCA-ResNet");
}

TEST(Modules, NetworksOfSpectra) {
  torch::manual_seed(3);
  const auto plane = CliffordFourierNet2dOptions().channels(4).blocks(1).modes(4).history(2).norm(true);
  expect_module(CliffordFourierNet2d(plane), CliffordFourierNet2d(plane), frames(), "CliffordFourierNet2d");
  const auto space = CliffordMaxwellNet3dOptions().channels(2).blocks(1).modes(2);
  expect_module(CliffordMaxwellNet3d(space), CliffordMaxwellNet3d(space), torch::randn({1, 2, 6, 4, 4, 4}),
                "CliffordMaxwellNet3d");
}

TEST(Modules, AreThoseOfTheRegistry) {
  for (const Model& model : registry()) {
    SCOPED_TRACE(model.name);
    config::Options values("model", model.options);
    if (values.has("channels")) values.set("channels", std::int64_t{4});
    if (values.has("width")) values.set("width", std::int64_t{40});
    const NetworkPtr network = model.make(values);
    const auto copy = std::dynamic_pointer_cast<Network>(network->clone());
    ASSERT_TRUE(copy);
    EXPECT_EQ(parameter_count(*copy), parameter_count(*network));
  }
  EXPECT_EQ(parameter_count(*GcaMlp()), parameter_count(*test::make_network("gca-mlp")));
  EXPECT_EQ(parameter_count(*GcaGnn()), parameter_count(*test::make_network("gca-gnn")));
  EXPECT_EQ(parameter_count(*GcaResNet2d()), parameter_count(*test::make_network("gca-resnet")));
  EXPECT_EQ(parameter_count(*ResNet2d()), parameter_count(*test::make_network("resnet")));
}

TEST(Modules, RejectUnsupportedOptions) {
  EXPECT_THROW(MotorMlp(MotorMlpOptions().velocities(true)), Error);
  EXPECT_THROW(Emlp(EmlpOptions().velocities(true)), Error);
  EXPECT_THROW(GcaMlp(GcaMlpOptions().points(0)), Error);
  EXPECT_THROW(GcaUNet2d(GcaUNet2dOptions().history(0)), Error);
}

TEST(Modules, RunInsideASequential) {
  torch::nn::Sequential network(GcaMlp(GcaMlpOptions().points(6).channels(4)),
                                Mlp(MlpOptions().points(6).width(8)));
  EXPECT_EQ(network->forward(scene()).sizes(), scene().sizes());
}

}  // namespace modules_test
}  // namespace gcan::models
