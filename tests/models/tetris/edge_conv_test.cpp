#include "gcan/models/tetris/edge_conv.h"

#include "tests/models/tetris/edge_level.h"
#include "tests/models/tetris/graphs.h"
#include "tests/nn/message.h"

namespace gcan::test {
namespace edge_conv_test {

// Every edge's message by the layers' own forward; of the neighbours, those nearest in feature space.
Tensor edge_conv_by_edges(const models::Network& network, const Tensor& x, std::int64_t neighbours) {
  const std::int64_t points = x.size(3);
  Tensor h = part<torch::nn::Linear>(network, "embed")(x.permute({0, 3, 2, 4, 1}).flatten(2));
  for (int i = 0; has_part(network, "edge" + std::to_string(i)); ++i) {
    const auto edge = part<models::TwoLayers>(network, "edge" + std::to_string(i));
    const Tensor difference = others(h) - own(h);
    Tensor y = two_layers(edge, torch::cat({own(h), difference}, 3));
    if (neighbours < points - 1) {
      const Tensor distance = difference.detach().norm(2, {3});
      const Tensor farthest = std::get<0>(distance.kthvalue(neighbours, 2, true));
      y = y.masked_fill((distance > farthest).unsqueeze(3), -1e30);
    }
    h = std::get<0>(y.max(2));
  }
  const Tensor y = part<torch::nn::Linear>(network, "project")(h);
  return y.view({x.size(0), points, x.size(2), 3}).permute({0, 2, 1, 3}).unsqueeze(1);
}

TEST(EdgeConv, EqualsItsEdgeLevelForm) {
  for (const std::int64_t neighbours : {0, 5}) {
    torch::manual_seed(5);
    const auto network = make_network("edgeconv", {{"width", std::int64_t{12}}, {"neighbours", neighbours}});
    expect_same_as_by_edges(network, random_scene("edgeconv", 2), [&](const auto& n, const Tensor& x) {
      return edge_conv_by_edges(n, x, neighbours == 0 ? 31 : neighbours);
    });
  }
}

TEST(EdgeConv, NeedsMorePointsThanNeighbours) {
  const std::string said = message([] { make_network("edgeconv", {{"neighbours", std::int64_t{32}}}); });
  EXPECT_NE(said.find("EdgeConv of 32 points cannot have 32 neighbours"), std::string::npos) << said;
}

}  // namespace edge_conv_test
}  // namespace gcan::test
