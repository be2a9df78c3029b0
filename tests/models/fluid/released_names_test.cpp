#include "gcan/models/fluid/released_names.h"

#include <gtest/gtest.h>

#include "gcan/base/error.h"
#include "tests/data/scratch.h"
#include "tests/models/fluid/fluid.h"
#include "tests/nn/reference.h"

namespace gcan::models {
namespace released_names_test {

constexpr const char* kFile = "networks.h5";

StateDict state_of(const test::ReferenceFile& file, const std::string& group) {
  StateDict state;
  for (const std::string& name : file.names(group + "/param")) {
    state[name] = file.tensor(group + "/param/" + name);
  }
  return state;
}

// (N, frames, H, W, 3) in the file.
torch::Tensor frames(const test::ReferenceFile& file, const std::string& name) {
  return file.tensor(name).movedim(-1, 2).contiguous();
}

void expect_reproduced(const std::string& group, const std::string& name, std::vector<std::string> settings) {
  const auto file = test::ReferenceFile::open(kFile);
  for (const std::string recompute : {"true", "false"}) {
    settings.push_back("recompute=" + recompute);
    const auto network = test::small_network(name, settings);
    load_released(*network, state_of(*file, group));
    const auto x = frames(*file, group + "/input").requires_grad_();
    const auto y = network->forward(x);
    test::expect_close(y, frames(*file, group + "/output"), 1e-8, group + " output");
    y.backward(frames(*file, group + "/grad_output"));
    test::expect_close(x.grad(), frames(*file, group + "/grad_input"), 1e-8, group + " input gradient");
  }
}

TEST(ReleasedNames, TheReleasedResNet) {
  GCAN_SKIP_WITHOUT_REFERENCE(kFile);
  expect_reproduced("gca_resnet", "gca-resnet", {"channels=4", "blocks=4"});
}

TEST(ReleasedNames, TheReleasedUNetWithLearntGates) {
  GCAN_SKIP_WITHOUT_REFERENCE(kFile);
  expect_reproduced("gca_unet_linear", "gca-unet", {"channels=2"});
}

TEST(ReleasedNames, TheReleasedUNetWithSums) {
  GCAN_SKIP_WITHOUT_REFERENCE(kFile);
  expect_reproduced("gca_unet_sum", "gca-unet", {"channels=2", "activation=sum", "norm=false"});
}

TEST(ReleasedNames, AMissingAnUnknownAndAMisshapenParameterAreErrors) {
  GCAN_SKIP_WITHOUT_REFERENCE(kFile);
  const StateDict whole = state_of(*test::ReferenceFile::open(kFile), "gca_resnet");
  const auto network = test::small_network("gca-resnet", {"channels=4", "blocks=4"});
  StateDict state = whole;
  state.erase("layers.1.0.conv2.weights.3");
  EXPECT_THROW(load_released(*network, state), Error);
  state = whole;
  state["layers.1.0.conv3.weights.3"] = torch::ones({1});
  EXPECT_THROW(load_released(*network, state), Error);
  state = whole;
  state["conv_in1.scale_param"] = torch::ones({5, 4, 1, 1});
  EXPECT_THROW(load_released(*network, state), Error);
  EXPECT_THROW(load_released(*test::small_network("gca-resnet", {"channels=4"}), whole), Error);
  // Parts of one of our parameters that do not fit together.
  state = whole;
  state["layers.1.0.conv2.weights.3"] = torch::ones({7});
  test::expect_error_with([&] { load_released(*network, state); }, {"has the shape (7), expected"});
  state = whole;
  for (const char* i : {"0", "1", "2"}) state[std::string("layers.1.0.conv2.bias.") + i] = torch::ones({});
  test::expect_error_with([&] { load_released(*network, state); }, {"has the shape (), expected at least 1"});
}

// A Clifford layer's tensors are in another order in Python.
TEST(ReleasedNames, CliffordTensorsAreTurned) {
  const auto network = test::small_network("cresnet-rot", {"channels=4", "blocks=1"});
  StateDict state;
  for (const std::string conv : {"encoder.", "layers.0.0.conv1.", "layers.0.0.conv2.", "decoder."}) {
    const bool end = conv == "encoder." || conv == "decoder.";
    const std::int64_t size = end ? 1 : 3, out = conv == "decoder." ? 1 : 4;
    for (int i = 0; i < 6; ++i)
      state[conv + "weight." + std::to_string(i)] = torch::rand({out, 4, size, size});
    state[conv + "scale_param"] = state[conv + "weight.4"];
    state[conv + "zero_kernel"] = state[conv + "weight.5"];
    if (conv != "decoder.") state[conv + "bias"] = torch::rand({4, 4});
  }
  for (const std::string norm : {"layers.0.0.norm1.", "layers.0.0.norm2."}) {
    state[norm + "weight"] = torch::rand({4, 4, 4});
    state[norm + "bias"] = torch::rand({4, 4});
  }
  load_released(*network, state);
  const auto own = network->named_parameters();
  const auto expect = [&](const std::string& name, const torch::Tensor& value) {
    EXPECT_TRUE(own[name].equal(value.to(torch::kDouble))) << name;
  };
  expect("conv_in1.bias", state["encoder.bias"].t());
  expect("layers.0.norm1.weight", state["layers.0.0.norm1.weight"].permute({2, 0, 1}));
  expect("layers.0.norm2.bias", state["layers.0.0.norm2.bias"].t());
  expect("layers.0.conv2.scale", state["layers.0.0.conv2.weight.4"]);
  EXPECT_TRUE(own["conv_out2.weight"].select(2, 3).equal(state["decoder.weight.3"].to(torch::kDouble)));
}

}  // namespace released_names_test
}  // namespace gcan::models
