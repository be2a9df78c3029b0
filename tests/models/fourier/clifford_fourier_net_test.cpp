#include "gcan/models/fourier/clifford_fourier_net.h"

#include <gtest/gtest.h>

#include "tests/nn/gradient.h"
#include "tests/nn/message.h"
#include "tests/nn/reference.h"

namespace gcan::models {
namespace clifford_fourier_net_test {

using torch::Tensor;

// A parameter of the released package, in which multivectors are lists of blades and blocks are in nested
// lists.
Tensor released_value(const test::Reference& reference, std::string name, int blades) {
  if (name.rfind("layers.", 0) == 0) name.insert(8, ".0");  // layers.1.conv -> layers.1.0.conv
  const std::size_t dot = name.rfind('.');
  const std::string layer = "state/" + name.substr(0, dot);
  if (name.substr(dot) == ".bias") return reference.read(layer + ".bias").t();
  if (name.find("fourier") != std::string::npos) return reference.read(layer + ".weights").movedim(0, 2);
  std::vector<Tensor> parts;
  for (int b = 0; b < blades; ++b) parts.push_back(reference.read(layer + ".weight." + std::to_string(b)));
  return torch::stack(parts, 2);
}

template <class Holder, class Options>
void expect_released(const std::string& name, const Options& options, int blades) {
  SCOPED_TRACE(name);
  const test::Reference reference(name, "dropin.h5");
  Holder network(Options(options).released(true));
  network->to(torch::kDouble);
  for (auto& item : network->named_parameters()) {
    const torch::NoGradGuard no_grad;
    item.value().copy_(released_value(reference, item.key(), blades));
  }
  const Tensor x = reference.features("input").requires_grad_();
  const Tensor y = network(x);
  // The original's spectral layers compute in single precision.
  test::expect_close(y, reference.features("output"), 1e-5, "y");
  y.backward(reference.features("grad_output"));
  test::expect_close(x.grad(), reference.features("grad_input"), 1e-5, "x.grad()");
}

TEST(CliffordFourierNet, ReproducesTheReleasedNetworks) {
  GCAN_SKIP_WITHOUT_REFERENCE("dropin.h5");
  expect_released<CliffordMaxwellNet3d>("maxwellnet",
                                        CliffordMaxwellNet3dOptions().channels(1).blocks(1).history(1), 8);
  // Only in the whole file.
  if (test::ReferenceFile::open("dropin.h5")->has("fluidnet_fourier_norm0")) {
    expect_released<CliffordFourierNet2d>("fluidnet_fourier_norm0",
                                          CliffordFourierNet2dOptions().channels(4).blocks(2).history(2), 4);
  }
}

// Periodic fields: a network without padding commutes with shifts like its spectral layers.
TEST(CliffordFourierNet, MaxwellNetWithoutPaddingCommutesWithShifts) {
  torch::manual_seed(3);
  CliffordMaxwellNet3d network(
      CliffordMaxwellNet3dOptions().channels(3).blocks(2).modes({2, 1, 2}).padding(0).norm(true));
  network->to(torch::kDouble);
  const Tensor x = torch::randn({1, 2, 6, 6, 5, 4}, torch::kDouble);
  const auto shifted = [](const Tensor& t) { return t.roll({1, 2, 3}, {3, 4, 5}); };
  test::expect_close(network(shifted(x)), shifted(network(x)), 1e-11, "shifted");
}

TEST(CliffordFourierNet, Gradients) {
  torch::manual_seed(4);
  CliffordFourierNet2d network(
      CliffordFourierNet2dOptions().channels(2).blocks(1).modes(1).history(1).padding(1).norm(true));
  network->to(torch::kDouble);
  const Tensor x = torch::randn({1, 1, 3, 3, 3}, torch::kDouble).requires_grad_();
  auto inputs = network->parameters();
  inputs.push_back(x);
  test::expect_gradients([&] { return network(x); }, inputs, 1e-5);
}

TEST(CliffordFourierNet, ErrorsNameTheNetwork) {
  EXPECT_EQ(
      test::message([] {
        CliffordMaxwellNet3d()(torch::zeros({1, 2, 3, 8, 8, 8}));
      }),
      "CliffordMaxwellNet3d(32 channels, 2 frames -> 1 frame) got a tensor of shape (1, 2, 3, 8, 8, 8), "
      "expected (*, 2, 6, *, *, *)");
  EXPECT_NE(
      test::message([] { CliffordFourierNet2d(CliffordFourierNet2dOptions().blocks(0)); }).find("one block"),
      std::string::npos);
}

}  // namespace clifford_fourier_net_test
}  // namespace gcan::models
