#include "gcan/nn/clifford_linear.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tests/nn/clifford.h"
#include "tests/nn/gradient.h"
#include "tests/nn/reference.h"

namespace gcan::nn {
namespace clifford_linear_test {

CliffordLinear make(const CliffordLinearOptions& options) {
  torch::manual_seed(1);
  CliffordLinear layer(options);
  layer->to(torch::kDouble);
  return layer;
}

TEST(CliffordLinear, IsASumOfGeometricProducts) {
  for (const Algebra& algebra : test::small_algebras()) {
    auto layer = make(CliffordLinearOptions(algebra, 3, 2));
    const auto x = torch::randn({4, 3, detail::blade_count(algebra)}, torch::kDouble);
    const auto y = layer(x);
    ASSERT_EQ(y.sizes(), (torch::IntArrayRef{4, 2, detail::blade_count(algebra)}));
    for (std::int64_t n = 0; n < 4; ++n) {
      for (std::int64_t o = 0; o < 2; ++o) {
        const auto sum = test::product_sum(algebra, x[n], layer->weight[o]);
        test::expect_near(test::all_grades(algebra, y[n][o]).front(),
                          sum + test::all_grades(algebra, layer->bias[o]).front(), 1e-14);
      }
    }
  }
}

TEST(CliffordLinear, ReproducesTheReleasedLayer) {
  GCAN_SKIP_WITHOUT_REFERENCE("layers.h5");
  const auto read = [](const char* name) { return test::Reference("clifford_linear_3d").read(name); };
  auto layer = make(CliffordLinearOptions(Algebra(3), 4, 5));
  {
    const torch::NoGradGuard no_grad;
    layer->weight.copy_(read("param/weight").movedim(0, 2));
    layer->bias.copy_(read("param/bias").t());
  }
  const auto x = read("input").requires_grad_();
  const auto y = layer(x);
  test::expect_close(y, read("output"), 1e-10, "y");
  y.backward(read("grad_output"));
  test::expect_close(x.grad(), read("grad_input"), 1e-10, "x.grad()");
  test::expect_close(layer->weight.grad(), read("grad_param/weight").movedim(0, 2), 1e-10,
                     "layer->weight.grad()");
  test::expect_close(layer->bias.grad(), read("grad_param/bias").t(), 1e-10, "layer->bias.grad()");
}

TEST(CliffordLinear, Gradients) {
  for (const bool bias : {true, false}) {
    auto layer = make(CliffordLinearOptions(Algebra(1, 1), 2, 3).bias(bias));
    const auto x = torch::randn({2, 2, 4}, torch::kDouble).requires_grad_();
    auto inputs = layer->parameters();
    inputs.push_back(x);
    test::expect_gradients([&] { return layer(x); }, inputs);
    EXPECT_EQ(layer->parameters().size(), bias ? 2U : 1U);
  }
}

TEST(CliffordLinear, AnyBatchSizeOneChannelAndNonContiguousInput) {
  auto layer = make(CliffordLinearOptions(Algebra(2), 1, 1));
  const auto empty = torch::zeros({0, 1, 4}, torch::kDouble).requires_grad_();
  const auto y = layer(empty);
  EXPECT_EQ(y.sizes(), (torch::IntArrayRef{0, 1, 4}));
  y.sum().backward();
  const auto x = torch::randn({4, 1, 3}, torch::kDouble).permute({2, 1, 0});
  EXPECT_TRUE(torch::allclose(layer(x), layer(x.contiguous())));
  EXPECT_TRUE(torch::allclose(layer(x.slice(0, 0, 1)), layer(x).slice(0, 0, 1)));
  const auto copy = std::dynamic_pointer_cast<CliffordLinearImpl>(layer->clone());
  EXPECT_TRUE(torch::equal(copy->forward(x), layer(x)));
}

TEST(CliffordLinear, SavesAndLoads) {
  for (const bool bias : {true, false}) {
    auto layer = make(CliffordLinearOptions(Algebra(2), 2, 3).bias(bias));
    std::stringstream stream;
    torch::save(layer, stream);
    CliffordLinear other(CliffordLinearOptions(Algebra(2), 2, 3).bias(bias));
    other->to(torch::kDouble);
    torch::load(other, stream);
    EXPECT_TRUE(torch::equal(other->weight, layer->weight));
  }
}

TEST(CliffordLinear, ErrorsNameTheLayer) {
  EXPECT_EQ(test::message([] {
              CliffordLinear(CliffordLinearOptions(Algebra(2), 3, 2))(torch::zeros({1, 3, 8}));
            }),
            "CliffordLinear(G(2,0,0), 3 -> 2) got a tensor of shape (1, 3, 8), expected (*, 3, 4)");
  EXPECT_NE(test::message([] { CliffordLinear(CliffordLinearOptions(Algebra(2), 0, 2)); }).find("0 input"),
            std::string::npos);
  CliffordLinear broken(CliffordLinearOptions(Algebra(1), 1, 1));
  broken->weight.detach().fill_(std::nan(""));
  EXPECT_EQ(
      test::message([&] {
        broken(torch::zeros({1, 1, 2}));
      }),
      "CliffordLinear(G(1,0,0), 1 -> 1) has an entry of its weight that is not finite (nan or infinity)");
}

}  // namespace clifford_linear_test
}  // namespace gcan::nn
