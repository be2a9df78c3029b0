// On a simulated device: layers and networks give the same results as on the CPU, do not read its memory as
// CPU memory, and neither wait for it nor send data in a forward or backward pass.

#include "tests/devices/pretend_device.h"

#include <gtest/gtest.h>

#include "tests/devices/cases.h"

namespace gcan {
namespace pretend_device_test {

using test::Case;
using test::pretend_device;
using torch::Tensor;

double error_of(const Tensor& found, const Tensor& expected) {
  if (expected.numel() == 0) return 0;
  const double size = std::max(1.0, expected.abs().max().item<double>());
  return (found - expected).abs().max().item<double>() / size;
}

TEST(PretendDevice, KeepsNumbersAndComputesWithThem) {
  const Tensor x = torch::randn({3, 4}), there = x.to(pretend_device());
  EXPECT_EQ(there.device().type(), c10::DeviceType::PrivateUse1);
  EXPECT_TRUE(torch::equal(there.cpu(), x));
  EXPECT_TRUE(torch::equal(there.t().contiguous().cpu(), x.t().contiguous()));
  EXPECT_TRUE(torch::equal((there.narrow(1, 1, 2) * 2).cpu(), x.narrow(1, 1, 2) * 2));
  Tensor changed = there.clone();
  changed.select(0, 1).add_(1);
  EXPECT_TRUE(torch::allclose(changed.cpu().select(0, 1), x.select(0, 1) + 1));
  EXPECT_TRUE(torch::equal(there.cpu(), x));
}

TEST(PretendDevice, ReadingItsMemoryOnTheCpuEndsTheProgram) {
  const Tensor x = torch::ones({8}).to(pretend_device());
  EXPECT_DEATH(
      {
        volatile float number = *x.data_ptr<float>();
        std::ignore = number;
      },
      "memory of the pretend device was touched");
}

// Transfers to and from the device are counted.
TEST(PretendDevice, CountsItsTraffic) {
  const Tensor x = torch::ones({8}).to(pretend_device());
  test::forget_traffic();
  const Tensor y = x * 2 + x.index_select(0, torch::zeros({8}, torch::kLong).to(pretend_device()));
  EXPECT_EQ(test::traffic().sent, 1);
  EXPECT_EQ(test::traffic().awaited, 0);
  EXPECT_EQ(y.sum().item<float>(), 24);
  std::ignore = y.cpu();
  EXPECT_EQ(test::traffic().awaited, 2);
}

void expect_same_there(const std::vector<Case>& cases) {
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    const std::vector<Tensor> here = test::run_case(test);
    nn::move_to(*test.module, pretend_device());
    for (const Tensor& parameter : test.module->parameters()) {
      EXPECT_EQ(parameter.device(), pretend_device());
      EXPECT_TRUE(parameter.is_leaf() && parameter.requires_grad());
    }
    const std::vector<Tensor> there = test::run_case(test, pretend_device());
    ASSERT_EQ(there.size(), here.size());
    const double tolerance = test.name.ends_with("bfloat16") ? 2e-2 : 2e-5;
    for (std::size_t i = 0; i < here.size(); ++i) {
      ASSERT_EQ(there[i].defined(), here[i].defined()) << i;
      if (!here[i].defined()) continue;
      ASSERT_EQ(there[i].sizes(), here[i].sizes()) << i;
      EXPECT_LE(error_of(there[i], here[i]), tolerance) << i;
    }
  }
}

TEST(PretendDevice, LayersMatchTheCpu) { expect_same_there(test::layer_cases()); }

TEST(PretendDevice, NetworksMatchTheCpu) { expect_same_there(test::network_cases()); }

// Index tables are sent in the first pass, and no number is read from the device.
void expect_no_traffic(const std::vector<Case>& cases) {
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    nn::move_to(*test.module, pretend_device());
    const Tensor x = test.input.to(pretend_device()).requires_grad_();
    const Tensor gradient = torch::ones_like(test.forward(x).detach());
    test.forward(x).backward(gradient);
    test::forget_traffic();
    const Tensor y = test.forward(x);
    EXPECT_EQ(test::traffic().sent, 0);
    EXPECT_EQ(test::traffic().awaited, 0);
    y.backward(gradient);
    EXPECT_EQ(test::traffic().sent, 0);
    EXPECT_EQ(test::traffic().awaited, 0);
  }
}

TEST(PretendDevice, LayersNeitherWaitNorCopyInAPass) { expect_no_traffic(test::layer_cases()); }

TEST(PretendDevice, NetworksNeitherWaitNorCopyInAPass) { expect_no_traffic(test::network_cases()); }

TEST(PretendDevice, IsNanWhereTheCpuThrows) {
  const Algebra space(3);
  const auto log_of = [&](const Tensor& x) {
    return log(nn::MultivectorTensor(space, space.even_blades(), x)).values();
  };
  const Tensor versors = torch::tensor({{{-1.0F, 0.0F, 0.0F, 0.0F}, {0.8F, 0.6F, 0.0F, 0.0F}}});
  EXPECT_THROW(log_of(versors), Error);
  const Tensor there = log_of(versors.to(pretend_device())).cpu();
  EXPECT_TRUE(there[0][0].isnan().any().item<bool>());
  EXPECT_TRUE(there[0][1].isfinite().all().item<bool>());
}

}  // namespace pretend_device_test
}  // namespace gcan
