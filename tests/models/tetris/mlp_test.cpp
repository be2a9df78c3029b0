#include "gcan/models/tetris/mlp.h"

#include "tests/models/networks.h"
#include "tests/nn/compare.h"

namespace gcan::test {
namespace mlp_test {

using torch::Tensor;

TEST(Mlp, IsLinearLayersWithReluBetweenThem) {
  const auto network = make_network("mlp");
  const Tensor x = random_scene("mlp", 3);
  const auto parameters = network->parameters();
  ASSERT_EQ(parameters.size(), 6U);
  Tensor h = x.flatten(1);
  for (std::size_t i = 0; i < 6; i += 2) {
    h = torch::linear(h, parameters[i], parameters[i + 1]);
    if (i < 4) h = h.clamp_min(0);
  }
  expect_close(network->forward(x), h.view(x.sizes()), 1e-6, "MLP");
}

TEST(MotorMlp, RotationsAreRotations) {
  const Tensor r = models::rotation_of(torch::randn({50, 6}, torch::kDouble));
  expect_close(torch::matmul(r, r.transpose(1, 2)), torch::eye(3, torch::kDouble).expand({50, 3, 3}), 1e-12,
               "orthonormal");
  expect_close(torch::linalg_det(r), torch::ones(50, torch::kDouble), 1e-12, "determinant");
  const Tensor kept = torch::tensor({2.0, 0.0, 0.0, 1.0, 3.0, 0.0});
  expect_close(models::rotation_of(kept), torch::eye(3), 1e-6, "identity");
}

TEST(MotorMlp, MovesTheMatchingInputPoint) {
  const auto network = make_network("motor-mlp");
  {
    // Constant motions: the identity and a translation by (1, 2, 3).
    const torch::NoGradGuard no_grad;
    const auto parameters = network->parameters();
    parameters[4].zero_();
    parameters[5].copy_(torch::tensor({1., 0., 0., 0., 1., 0., 1., 2., 3.}).repeat({128}));
  }
  const Tensor x = random_scene("motor-mlp", 3);
  expect_close(network->forward(x), x + torch::tensor({1., 2., 3.}), 1e-5, "translated");
}

}  // namespace mlp_test
}  // namespace gcan::test
