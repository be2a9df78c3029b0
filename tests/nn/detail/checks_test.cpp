#include "gcan/nn/detail/checks.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "tests/nn/gradient.h"
#include "tests/nn/message.h"

namespace gcan::nn::detail {
namespace checks_test {

using test::message;

TEST(Checks, NameTheLayerTheInputAndTheExpectation) {
  const torch::Tensor x = torch::zeros({2, 5, 3});
  EXPECT_EQ(message([&] {
              check_shape("GcaLinear(4 -> 8)", x, {-1, 4, 3});
            }),
            "GcaLinear(4 -> 8) got a tensor of shape (2, 5, 3), expected (*, 4, 3)");
  EXPECT_EQ(message([&] { check_shape("L", x, {-1, 5, 3}); }), "");
  EXPECT_NE(message([&] { check_shape("L", x, {-1, 5}); }), "");
  EXPECT_NE(message([&] {
              check_shape("L", x.to(torch::kLong), {-1, 5, 3});
            }).find("floating-point"),
            std::string::npos);
  EXPECT_NE(message([&] { check_shape("L", torch::Tensor(), {-1}); }).find("undefined"), std::string::npos);
  EXPECT_EQ(message([&] { check_finite("L", "action", x / 0); }),
            "L has an action that is not finite (nan or infinity)");
  EXPECT_EQ(message([&] { check_finite("L", "action", x); }), "");
}

TEST(Gradient, CheckerSeesRightAndWrongGradients) {
  const torch::Tensor x = torch::randn({3}, torch::kDouble).requires_grad_();
  test::expect_gradients([&] { return (x * x).exp(); }, {x});
  // A gradient that autograd deliberately does not see.
  EXPECT_FATAL_FAILURE(
      {
        static torch::Tensor y;
        y = torch::ones({2}, torch::kDouble).requires_grad_();
        test::expect_gradients([] { return y * y.detach(); }, {y});
      },
      "entry");
}

}  // namespace checks_test
}  // namespace gcan::nn::detail
