#include "gcan/models/tetris/gca_gnn.h"

#include "tests/models/tetris/edge_level.h"
#include "tests/models/tetris/graphs.h"

namespace gcan::test {
namespace gca_gnn_test {

// Unnormalised actions with translations.
models::NetworkPtr disturbed(const std::string& name, const Settings& settings) {
  const auto network = make_network(name, settings);
  const torch::NoGradGuard no_grad;
  for (auto& parameter : network->parameters()) parameter.add_(0.2 * torch::randn_like(parameter));
  return network;
}

TEST(GcaGnn, EqualsItsEdgeLevelForm) {
  torch::manual_seed(5);
  const auto network = disturbed("gca-gnn", {{"channels", std::int64_t{6}}, {"delta0", 1.0}});
  expect_same_as_by_edges(network, random_scene("gca-gnn", 2), gca_gnn_by_edges);
}

// Zero velocities stay zero, and positions are then as without velocities.
TEST(GcaGnn, PassesPositionsWithoutVelocitiesLikePositionsAlone) {
  torch::manual_seed(6);
  const Settings settings{{"channels", std::int64_t{6}}, {"delta0", 1.0}};
  const auto both = disturbed("gca-gnn-velocity", settings);
  const auto alone = make_network("gca-gnn", settings);
  {
    const torch::NoGradGuard no_grad;
    for (auto& parameter : alone->named_parameters()) {
      const Tensor from = both->named_parameters()[parameter.key()];
      const bool of_both = from.sizes() != parameter.value().sizes();
      // The gate's weights are in the order e012 e3 e013 e2 e023 e1.
      parameter.value().copy_(of_both ? from.slice(2, 0, 6, 2) : from);
    }
  }
  both->to(torch::kDouble);
  alone->to(torch::kDouble);
  const Tensor x = random_scene("gca-gnn", 2, torch::kDouble);
  const Tensor y = both->forward(torch::cat({x, torch::zeros_like(x)}, 1));
  expect_close(y.narrow(1, 0, 1), alone->forward(x), 1e-11, "positions");
  EXPECT_EQ(y.narrow(1, 1, 1).abs().max().item<double>(), 0);
}

TEST(GcaGnn, DoesNotDependOnTheOrderOfThePoints) {
  const auto network = disturbed("gca-gnn-velocity", {{"channels", std::int64_t{6}}, {"gate", "grade"}});
  network->to(torch::kDouble);
  const Tensor x = random_scene("gca-gnn-velocity", 2, torch::kDouble), order = torch::randperm(32);
  expect_close(network->forward(x.index_select(3, order)), network->forward(x).index_select(3, order), 1e-11,
               "reordered");
}

TEST(GcaGnn, CanNormaliseBetweenItsLayers) {
  const auto network = make_network("gca-gnn", {{"norm", true}});
  const Tensor x = 1e3 * random_scene("gca-gnn", 2);
  EXPECT_LT(network->forward(x).abs().max().item<double>(), 1e2);
  EXPECT_EQ(models::parameter_count(*network), 892996 + 4);
}

}  // namespace gca_gnn_test
}  // namespace gcan::test
