#include "gcan/models/tetris/gca_mlp.h"

#include "tests/models/networks.h"
#include "tests/nn/compare.h"

namespace gcan::test {
namespace gca_mlp_test {

using torch::Tensor;

// Unnormalised actions with rotations and translations; delta unchanged.
void disturb(torch::nn::Module& network) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : network.named_parameters())
    parameter.value().add_(torch::rand_like(parameter.value()));
}

nn::GcaLinear linear_of(const models::NetworkPtr& network, int i) {
  return nn::GcaLinear(
      std::dynamic_pointer_cast<nn::GcaLinearImpl>(network->named_modules()["linear" + std::to_string(i)]));
}

nn::MSiLU gate_of(const models::NetworkPtr& network, int i) {
  return nn::MSiLU(
      std::dynamic_pointer_cast<nn::MSiLUImpl>(network->named_modules()["gate" + std::to_string(i)]));
}

TEST(GcaMlp, IsTheCompositionOfItsLayers) {
  torch::manual_seed(2);
  const auto network = make_network("gca-mlp", {{"delta0", 0.5}});
  network->to(torch::kDouble);
  disturb(*network);
  const Tensor x = torch::randn({5, 1, 4, 32, 3}, torch::kDouble);
  Tensor h = x.view({5, 128, 3});
  for (int i = 0; i < 2; ++i) h = gate_of(network, i)(linear_of(network, i)(h));
  h = linear_of(network, 2)(h);
  expect_close(network->forward(x), h.view({5, 1, 4, 32, 3}), 1e-13, "GCA-MLP");
}

// One layer without gate on positions and velocities, by the layer on points and the layer on vectors.
class Velocities : public ::testing::TestWithParam<std::string> {};

TEST_P(Velocities, RotateWithThePositions) {
  torch::manual_seed(3);
  models::GcaSettings settings;
  settings.fields = 2;
  settings.delta0 = 0.7;
  settings.paper_velocities = GetParam() == "paper";
  auto points = models::gca_linear(settings, 3, 2);
  points->to(torch::kDouble);
  disturb(*points);
  const Algebra pga = Algebra::pga3d();
  const std::vector<Blade> vectors{pga.blades(1)[1], pga.blades(1)[2], pga.blades(1)[3]};
  auto free = nn::GcaLinear(nn::GcaLinearOptions(pga, 3, 2).objects(vectors).constants({}));
  free->to(torch::kDouble);
  {
    const torch::NoGradGuard no_grad;
    free->action.copy_(points->action);
    free->weight.copy_(points->weight);
  }
  const Tensor position = torch::randn({5, 3, 3}, torch::kDouble);
  const Tensor velocity = torch::randn({5, 3, 3}, torch::kDouble);

  // (channels * 3, fields, columns)
  Tensor h = torch::stack({position, velocity}, 1).permute({2, 3, 1, 0}).reshape({9, 2, 5});
  h = models::mirror_velocities(settings, h).flatten(1);
  h = points->forward_columns(h, h.size(1) / 2).view({6, 2, 5});
  h = models::mirror_velocities(settings, h);

  // In the mirror of the positions: (-z, y, -x).
  const auto mirror = [](const Tensor& v) {
    return v.flip(-1) * torch::tensor({-1.0, 1.0, -1.0}, torch::kDouble);
  };
  const Tensor expected = settings.paper_velocities ? free(velocity) : mirror(free(mirror(velocity)));
  expect_close(h.select(1, 0).t(), points(position).flatten(1), 1e-13, "positions");
  expect_close(h.select(1, 1).t(), expected.flatten(1), 1e-13, "velocities");
}

INSTANTIATE_TEST_SUITE_P(Frames, Velocities, ::testing::Values("same", "paper"));

// Rotating a scene rotates its velocities: positions and velocities share kernels and must satisfy x_(t+1) -
// x_t = v_t before and after a layer without bias.
TEST(GcaMlp, DifferencesOfPositionsPassLikeVelocities) {
  models::GcaSettings settings;
  settings.fields = 2;
  auto layer = models::gca_linear(settings, 4, 4);
  layer->to(torch::kDouble);
  const Tensor first = torch::randn({12, 5}, torch::kDouble), second = torch::randn({12, 5}, torch::kDouble);
  const auto pass = [&](const Tensor& position, const Tensor& velocity) {
    return layer->forward_columns(torch::cat({position, velocity}, 1), position.size(1)).view({12, 2, 5});
  };
  const Tensor a = pass(first, second - first), b = pass(second, second);
  expect_close(a.select(1, 1), b.select(1, 0) - a.select(1, 0), 1e-13, "velocities");
}

TEST(GcaMlp, HasTheOptionsOfTheLayers) {
  const auto count = [](const Settings& settings) {
    return models::parameter_count(*make_network("gca-mlp-velocity", settings));
  };
  const std::int64_t gates = 2 * 128;
  EXPECT_EQ(count({{"gate", "grade"}}) - count({}), gates * 7);
  EXPECT_EQ(count({}) - count({{"aggregation", "sum"}}), gates * 7);
  EXPECT_EQ(count({{"norm", true}}) - count({}), 2 * 2);
  const Tensor x = random_scene("gca-mlp-velocity", 2);
  for (const Settings& settings : std::vector<Settings>{{{"gate", "grade"}},
                                                        {{"aggregation", "mean"}},
                                                        {{"norm", true}},
                                                        {{"inverse", "exact"}},
                                                        {{"inverse", "normalized"}},
                                                        {{"frame", "paper"}}}) {
    torch::manual_seed(4);
    const Tensor standard = make_network("gca-mlp-velocity")->forward(x);
    torch::manual_seed(4);
    const Tensor y = make_network("gca-mlp-velocity", settings)->forward(x);
    EXPECT_EQ(y.sizes(), x.sizes());
    const bool same_at_start = settings[0].first == "inverse";
    EXPECT_EQ(torch::allclose(y, standard, 1e-2, 1e-2), same_at_start) << settings[0].first;
  }
}

}  // namespace gca_mlp_test
}  // namespace gcan::test
