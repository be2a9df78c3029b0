#pragma once

// Comparison of tensors in the tests of gcan/nn.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "gcan/torch.h"

namespace gcan::test {

// The largest difference, relative to the size of the expected numbers or 1; --gtest_output=xml
// lists it.
inline void expect_close(const torch::Tensor& value, const torch::Tensor& expected, double tolerance,
                         const std::string& what) {
  ASSERT_TRUE(value.defined()) << what;
  ASSERT_EQ(value.sizes(), expected.sizes()) << what;
  if (value.numel() == 0) return;
  const double size = std::max(1.0, expected.abs().max().item<double>());
  const double error = (value - expected).abs().max().item<double>() / size;
  EXPECT_LE(error, tolerance) << what;
  std::ostringstream text;
  text << error;
  ::testing::Test::RecordProperty("error of " + what, text.str());
}

}  // namespace gcan::test
