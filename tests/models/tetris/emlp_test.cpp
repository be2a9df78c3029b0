#include "gcan/models/tetris/emlp.h"

#include "tests/models/networks.h"
#include "tests/models/tetris/rotations.h"
#include "tests/nn/compare.h"
#include "tests/nn/gradient.h"

namespace gcan::test {
namespace emlp_test {

using models::OrthogonalGroup;
using models::Representation;
using torch::Tensor;

constexpr std::array<std::int64_t, 4> kSmall{2, 3, 2, 1};

TEST(Emlp, CommutesWithRotations) {
  torch::manual_seed(1);
  for (const char* name : {"so3-mlp", "o3-mlp"}) {
    const auto network = make_network(name);
    network->to(torch::kDouble);
    const Tensor x = random_scene(name, 3, torch::kDouble);
    const Tensor g = random_element(OrthogonalGroup::so3), y = network->forward(x);
    expect_close(network->forward(torch::matmul(x, g.t())), torch::matmul(y, g.t()), 1e-10, name);
  }
}

TEST(Emlp, CommutesWithReflectionsOnlyForO3) {
  torch::manual_seed(2);
  const Tensor g = random_element(OrthogonalGroup::o3);
  const auto difference = [&](const std::string& name) {
    const auto network = make_network(name);
    network->to(torch::kDouble);
    const Tensor x = random_scene(name, 3, torch::kDouble), y = network->forward(x);
    const Tensor apart = network->forward(torch::matmul(x, g.t())) - torch::matmul(y, g.t());
    return (apart.abs().max() / y.abs().max()).item<double>();
  };
  EXPECT_LT(difference("o3-mlp"), 1e-10);
  EXPECT_GT(difference("so3-mlp"), 1e-3);
}

// The whole W(x), block by block, times x.
Tensor bilinear_by_blocks(const models::Bilinear& layer, const Representation& rep, const Tensor& x) {
  Tensor w = torch::zeros({rep.size(), rep.size()}, torch::kDouble);
  for (int rank = 1; rank <= 3; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const std::int64_t picks = layer->pick[r].numel();
    std::int64_t next = 0;
    for (int q = 0; q <= rank; ++q) {
      const int p = rank - q;
      for (std::int64_t v = 0; v < rep.copies_of(p); ++v) {
        for (std::int64_t k = 0; k < picks; ++k) {
          const auto picked = layer->pick[r][k].item<std::int64_t>();
          for (std::int64_t u = 0; u < rep.copies_of(q); ++u, ++next) {
            for (std::int64_t n = 0; n < models::tensor_size(rank); ++n) {
              w[rep.index(q, u, n / models::tensor_size(p))][rep.index(p, v, n % models::tensor_size(p))] +=
                  layer->weight[r][next] * x[rep.index(rank, picked, n)];
            }
          }
        }
      }
    }
  }
  return 0.1 * torch::mv(w, x);
}

TEST(Bilinear, IsAMatrixOfTensorsOfItsInputTimesTheInput) {
  torch::manual_seed(3);
  const Representation rep{kSmall, false};
  models::Bilinear layer(rep);
  layer->to(torch::kDouble);
  const torch::NoGradGuard no_grad;
  const Tensor x = torch::randn({2, rep.size()}, torch::kDouble);
  for (std::int64_t n = 0; n < 2; ++n) {
    expect_close(layer(x)[n], bilinear_by_blocks(layer, rep, x[n]), 1e-12, "bilinear");
  }
}

TEST(Bilinear, WithoutTensorsOfARank) {
  const Representation rep{{2, 3, 0, 0}, false};
  models::Bilinear layer(rep);
  EXPECT_EQ(layer(torch::randn({2, rep.size()})).size(1), rep.size());
}

TEST(Bilinear, CommutesWithTheGroup) {
  torch::manual_seed(4);
  const Representation rep{kSmall, false};
  models::Bilinear layer(rep);
  layer->to(torch::kDouble);
  const Tensor x = torch::randn({2, rep.size()}, torch::kDouble);
  for (const OrthogonalGroup group : {OrthogonalGroup::so3, OrthogonalGroup::o3}) {
    const Tensor g = on(rep, random_element(group)).t();
    expect_close(layer(torch::mm(x, g)), torch::mm(layer(x), g), 1e-11, "turned");
  }
}

TEST(Emlp, GatesScaleWholeTensors) {
  const Representation rep{kSmall, false}, wide = rep.gated();
  const Tensor x = torch::randn({1, wide.size()}, torch::kDouble);
  const Tensor y = models::gated(rep, x);
  ASSERT_EQ(y.size(1), rep.size());
  std::int64_t gate = 0;
  for (int rank = 0; rank <= 3; ++rank) {
    for (std::int64_t copy = 0; copy < rep.copies_of(rank); ++copy, ++gate) {
      const double open = torch::sigmoid(x[0][gate]).item<double>();
      for (std::int64_t n = 0; n < models::tensor_size(rank); ++n) {
        const double from = x[0][rank == 0 ? copy : wide.index(rank, copy, n)].item<double>();
        EXPECT_NEAR(y[0][rep.index(rank, copy, n)].item<double>(), open * from, 1e-15);
      }
    }
  }
}

TEST(Emlp, HasTheRightGradients) {
  torch::manual_seed(5);
  const auto network = make_network("so3-mlp", {{"width", std::int64_t{40}},
                                                {"layers", std::int64_t{1}},
                                                {"steps_in", std::int64_t{1}},
                                                {"steps_out", std::int64_t{1}},
                                                {"points", std::int64_t{2}}});
  network->to(torch::kDouble);
  const Tensor x = torch::randn({2, 1, 1, 2, 3}, torch::kDouble).requires_grad_();
  std::vector<Tensor> inputs = network->parameters();
  inputs.push_back(x);
  expect_gradients([&] { return network->forward(x); }, inputs, 1e-6);
}

// Products of products could blow up from layer to layer.
TEST(Emlp, StartsWithSmallOutputs) {
  torch::manual_seed(6);
  for (const char* name : {"so3-mlp", "o3-mlp"}) {
    const Tensor x = random_scene(name, 64);
    const auto size = make_network(name)->forward(x).std().item<double>();
    EXPECT_GT(size, 1e-5) << name;
    EXPECT_LT(size, 1) << name;
  }
}

}  // namespace emlp_test
}  // namespace gcan::test
