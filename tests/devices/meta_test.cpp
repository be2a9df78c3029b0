// On the device `meta`, which has shapes but no memory: reading a number there fails.

#include <gtest/gtest.h>

#include "tests/devices/cases.h"
#include "tests/devices/meta_operations.h"

namespace gcan {
namespace meta_test {

using test::Case;
using torch::Tensor;

void expect_shapes_on_meta(const std::vector<Case>& cases) {
  test::complete_meta_operations();
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    const std::vector<Tensor> here = test::run_case(test);
    nn::move_to(*test.module, torch::kMeta);
    for (const Tensor& parameter : test.module->parameters()) EXPECT_TRUE(parameter.is_meta());
    for (const Tensor& buffer : test.module->buffers()) EXPECT_TRUE(buffer.is_meta());
    const std::vector<Tensor> there = test::run_case(test, torch::kMeta);
    ASSERT_EQ(there.size(), here.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      ASSERT_EQ(there[i].defined(), here[i].defined()) << i;
      if (!here[i].defined()) continue;
      EXPECT_EQ(there[i].sizes(), here[i].sizes()) << i;
      EXPECT_EQ(there[i].scalar_type(), here[i].scalar_type()) << i;
    }
    const torch::NoGradGuard no_grad;
    test.module->eval();
    EXPECT_EQ(test.forward(test.input.to(torch::kMeta)).sizes(), here[0].sizes());
  }
}

TEST(MetaDevice, LayersComputeShapesForwardAndBackward) { expect_shapes_on_meta(test::layer_cases()); }

TEST(MetaDevice, NetworksComputeShapesForwardAndBackward) { expect_shapes_on_meta(test::network_cases()); }

TEST(MetaDevice, HasNoNumbersToRead) {
  test::complete_meta_operations();
  const Tensor x = torch::ones({2}, torch::kMeta);
  EXPECT_ANY_THROW(std::ignore = x.sum().item<float>());
}

TEST(MetaDevice, CopiesOfNetworksMoveToIt) {
  test::complete_meta_operations();
  const auto network = std::make_shared<models::GcaMlpImpl>(models::GcaMlpOptions().channels(4).points(6));
  const auto copy = std::dynamic_pointer_cast<models::Network>(network->clone(torch::Device(torch::kMeta)));
  ASSERT_TRUE(copy);
  EXPECT_EQ(nn::device_of(*copy), torch::Device(torch::kMeta));
  EXPECT_EQ(nn::device_of(*network), torch::Device(torch::kCPU));
  EXPECT_TRUE(copy->forward(torch::randn({2, 1, 4, 6, 3}).to(torch::kMeta)).is_meta());
}

}  // namespace meta_test
}  // namespace gcan
