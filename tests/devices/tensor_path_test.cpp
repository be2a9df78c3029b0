// The tensor operations of other devices, on the CPU, give the same results as the kernels.

#include "gcan/nn/detail/tensor_path.h"

#include <gtest/gtest.h>

#include "tests/devices/cases.h"

namespace gcan {
namespace tensor_path_test {

using test::Case;
using torch::Tensor;

// The largest difference, relative to the size of the expected numbers or 1.
double error_of(const Tensor& found, const Tensor& expected) {
  if (expected.numel() == 0) return 0;
  const double size = std::max(1.0, expected.abs().max().item<double>());
  return (found - expected).abs().max().item<double>() / size;
}

void expect_same(const std::vector<Case>& cases) {
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    const std::vector<Tensor> kernels = test::run_case(test);
    const nn::detail::TensorPath forced;
    const std::vector<Tensor> tensors = test::run_case(test);
    ASSERT_EQ(tensors.size(), kernels.size());
    // Some numbers are at the edge of rounding to bfloat16.
    const double tolerance = test.name.ends_with("bfloat16") ? 2e-2 : 2e-5;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      ASSERT_EQ(tensors[i].defined(), kernels[i].defined()) << i;
      if (!kernels[i].defined()) continue;
      ASSERT_EQ(tensors[i].sizes(), kernels[i].sizes()) << i;
      EXPECT_LE(error_of(tensors[i], kernels[i]), tolerance) << i;
    }
  }
}

TEST(TensorPath, LayersMatchTheKernels) { expect_same(test::layer_cases()); }

TEST(TensorPath, NetworksMatchTheKernels) { expect_same(test::network_cases()); }

TEST(TensorPath, EndsWithItsScope) {
  EXPECT_FALSE(nn::detail::wants_tensors());
  {
    const nn::detail::TensorPath outer;
    { const nn::detail::TensorPath inner; }
    EXPECT_TRUE(nn::detail::wants_tensors());
  }
  EXPECT_FALSE(nn::detail::wants_tensors());
}

}  // namespace tensor_path_test
}  // namespace gcan
