#include "gcan/deploy/trace.h"

#include <gtest/gtest.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/script.h>

#include <sstream>

#include "gcan/nn/fold.h"
#include "tests/deploy/small_networks.h"

namespace gcan::trace_test {
namespace {

using torch::Tensor;

class Trace : public testing::TestWithParam<std::string> {};

// The largest difference, relative to the expected values.
double difference(const Tensor& found, const Tensor& expected) {
  return ((found - expected).abs().max() / expected.abs().max()).item<double>();
}

TEST_P(Trace, ComputesTheSameForAnyNumberOfSamplesAfterSavingAndLoading) {
  for (const bool folds : {true, false}) {
    const auto [network, x] = test::small_network(GetParam());
    if (folds) nn::fold(*network);
    const torch::NoGradGuard no_grad;
    const torch::jit::GraphOptimizerEnabledGuard as_it_is(false);
    std::stringstream file;
    deploy::trace(*network, x).save(file);
    torch::jit::Module loaded = torch::jit::load(file);
    for (const std::int64_t samples : {1, 3, 7}) {
      const Tensor input = torch::randn_like(x.narrow(0, 0, 1).repeat({samples, 1, 1, 1, 1}));
      EXPECT_LT(difference(loaded.forward({input}).toTensor(), network->forward(input)), 1e-5) << samples;
    }
  }
}

TEST_P(Trace, HasNoOperationOfGcan) {
  const auto [network, x] = test::small_network(GetParam());
  nn::fold(*network);
  const torch::jit::Module module = deploy::trace(*network, x);
  for (const auto* node : module.get_method("forward").graph()->nodes()) {
    const std::string kind = node->kind().toQualString();
    EXPECT_TRUE(kind.starts_with("aten::") || kind.starts_with("prim::")) << kind;
    if (std::getenv("GCAN_SHOW_OPERATIONS") != nullptr) std::puts(kind.c_str());
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& model : models::registry()) all.push_back(model.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Networks, Trace, testing::ValuesIn(names()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(TraceUnits, AreInside) {
  const auto [network, x] = test::small_network("gca-unet");
  const torch::NoGradGuard no_grad;
  const Tensor mean = torch::randn({3, 1, 1}), scale = torch::rand({3, 1, 1}) + 1;
  torch::jit::Module module = deploy::trace(*network, x * scale + mean, {mean, scale});
  const Tensor expected = network->forward(x) * scale + mean;
  EXPECT_LT(difference(module.forward({x * scale + mean}).toTensor(), expected), 1e-5);
}

}  // namespace
}  // namespace gcan::trace_test
