#include "gcan/nn/detail/features.h"

#include <gtest/gtest.h>

#include "tests/nn/features.h"
#include "tests/nn/gradient.h"

namespace gcan::nn::detail {
namespace features_test {

using test::message;

TEST(Features, AnyNumberOfSpaceDimensionsCountsAsOne) {
  for (const auto& [sizes, space] : std::vector<std::pair<std::vector<std::int64_t>, std::int64_t>>{
           {{2, 3, 4}, 1}, {{2, 3, 4, 5}, 5}, {{2, 3, 4, 5, 6, 7}, 210}}) {
    const torch::Tensor x = torch::randn(sizes);
    EXPECT_EQ(Features(x).space, space);
    EXPECT_EQ(Features(x).rows(), 6U);
    EXPECT_EQ(flat_space(x).sizes(), (torch::IntArrayRef{2, 3, 4, space}));
  }
  EXPECT_EQ(Features(torch::zeros({0, 3, 4})).rows(), 0U);
  EXPECT_GE(Features(torch::zeros({0, 3, 4, 0})).grain(), 1U);
}

TEST(Features, ChecksNameTheLayer) {
  const auto name = [] { return std::string("L"); };
  const torch::Tensor parameter = torch::zeros({1});
  const auto check = [&](const torch::Tensor& x) {
    return message([&] { check_features(name, x, 3, 4, parameter); });
  };
  EXPECT_EQ(check(torch::zeros({2, 3, 4, 5})), "");
  EXPECT_EQ(check(torch::zeros({2, 3, 4}, torch::kBFloat16)), "");
  EXPECT_EQ(check(torch::zeros({3, 4})), "L got a tensor of shape (3, 4), expected (*, 3, 4)");
  EXPECT_EQ(check(torch::Tensor()), "L got an undefined tensor");
  EXPECT_EQ(check(torch::zeros({2, 3, 4}, torch::kDouble)),
            "L got a tensor of double, its parameters are of float; convert one of them with .to(dtype)");
  EXPECT_NE(check(torch::zeros({2, 3, 4}, torch::kLong)), "");
  EXPECT_EQ(check(torch::zeros({2, 3, 4}, torch::kMeta)),
            "L got a tensor on meta, its parameters are on cpu; move one of them with .to(device)");
}

TEST(Features, KernelsTakeFloatAndDouble) {
  EXPECT_TRUE(has_kernel(torch::zeros({1})));
  EXPECT_TRUE(has_kernel(torch::zeros({1}, torch::kDouble)));
  EXPECT_FALSE(has_kernel(torch::zeros({1}, torch::kBFloat16)));
  EXPECT_EQ(compute_type(torch::zeros({1}, torch::kBFloat16)), torch::kFloat);
  EXPECT_EQ(compute_type(torch::zeros({1}, torch::kDouble)), torch::kDouble);
}

TEST(Features, GradientsByAutomaticDifferentiationStayDifferentiable) {
  const torch::Tensor x = torch::randn({3}, torch::kDouble).requires_grad_();
  const torch::Tensor constant = torch::randn({3}, torch::kDouble);
  const auto cube = [](const torch::autograd::variable_list& in) { return in[0].pow(3) * in[1]; };
  const auto grads = differentiable_gradients(cube, {x, constant}, torch::ones({3}, torch::kDouble));
  ASSERT_EQ(grads.size(), 2U);
  EXPECT_FALSE(grads[1].defined());
  test::expect_close(grads[0], 3 * x.square() * constant, 1e-14, "first");
  grads[0].sum().backward();
  test::expect_close(x.grad(), 6 * x * constant, 1e-14, "second");
}

}  // namespace features_test
}  // namespace gcan::nn::detail
