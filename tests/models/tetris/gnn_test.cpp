#include "gcan/models/tetris/gnn.h"

#include "tests/models/tetris/edge_level.h"
#include "tests/models/tetris/graphs.h"

namespace gcan::test {
namespace gnn_test {

class Gnns : public ::testing::TestWithParam<std::string> {};

TEST_P(Gnns, EqualTheirEdgeLevelForm) {
  torch::manual_seed(5);
  const bool distances = GetParam().ends_with("-d");
  const auto network = make_network(GetParam(), {{"width", std::int64_t{24}}});
  expect_same_as_by_edges(network, random_scene(GetParam(), 2),
                          [&](const auto& n, const Tensor& x) { return gnn_by_edges(n, x, distances); });
}

INSTANTIATE_TEST_SUITE_P(All, Gnns, ::testing::Values("gnn-s", "gnn-l-d", "gnn-velocity"));

TEST(Gnn, DoesNotDependOnTheOrderOfThePoints) {
  const auto network = make_network("gnn-s-d");
  network->to(torch::kDouble);
  const Tensor x = random_scene("gnn-s-d", 2, torch::kDouble), order = torch::randperm(32);
  expect_close(network->forward(x.index_select(3, order)), network->forward(x).index_select(3, order), 1e-12,
               "reordered");
}

TEST(Gnn, DistancesAreThoseOfTheLastStep) {
  const Tensor x = torch::randn({2, 2, 3, 5, 3}, torch::kDouble);
  const Tensor d = models::last_distances(x);
  for (int n = 0; n < 2; ++n) {
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 5; ++j) {
        const Tensor apart = x[n][0][2][i] - x[n][0][2][j];
        EXPECT_NEAR(d[n][i][j].item<double>(), apart.norm().item<double>(), 1e-14);
      }
    }
  }
}

}  // namespace gnn_test
}  // namespace gcan::test
