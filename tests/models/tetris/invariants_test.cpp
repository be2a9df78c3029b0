#include "gcan/models/tetris/invariants.h"

#include "gcan/base/error.h"
#include "tests/models/tetris/rotations.h"
#include "tests/nn/compare.h"
#include "tests/nn/gradient.h"
#include "tests/nn/message.h"

namespace gcan::test {
namespace invariants_test {

using models::OrthogonalGroup;
using models::Representation;
using torch::Tensor;

TEST(Invariants, HaveTheKnownDimensions) {
  const std::vector<std::int64_t> so3{1, 0, 1, 1, 3, 6, 15}, o3{1, 0, 1, 0, 3, 0, 15};
  for (int rank = 0; rank <= 6; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    EXPECT_EQ(models::invariant_tensors(OrthogonalGroup::so3, rank).size(1), so3[r]) << rank;
    EXPECT_EQ(models::invariant_tensors(OrthogonalGroup::o3, rank).size(1), o3[r]) << rank;
  }
}

TEST(Invariants, AreOrthonormalAndInvariant) {
  torch::manual_seed(1);
  for (const OrthogonalGroup group : {OrthogonalGroup::so3, OrthogonalGroup::o3}) {
    for (int rank = 0; rank <= 6; ++rank) {
      const Tensor& basis = models::invariant_tensors(group, rank);
      if (basis.size(1) == 0) continue;
      const Tensor g = random_element(group);
      expect_close(torch::mm(basis.t(), basis), torch::eye(basis.size(1), torch::kDouble), 1e-12,
                   "orthonormal");
      expect_close(torch::mm(on_tensors(g, rank), basis), basis, 1e-12, "invariant");
    }
  }
}

// Independently: the tensors that no infinitesimal rotation changes, and for O(3) no reflection either.
TEST(Invariants, AreAllThereAre) {
  for (int rank = 0; rank <= 4; ++rank) {
    const std::int64_t size = models::tensor_size(rank);
    Tensor equations = torch::zeros({0, size}, torch::kDouble);
    for (int axis = 0; axis < 3; ++axis) {
      Tensor turn = torch::zeros({3, 3}, torch::kDouble);
      turn[(axis + 1) % 3][(axis + 2) % 3] = -1;
      turn[(axis + 2) % 3][(axis + 1) % 3] = 1;
      // The derivative of the action: the sum of turns of one index each.
      Tensor sum = torch::zeros({size, size}, torch::kDouble);
      for (int i = 0; i < rank; ++i) {
        sum += torch::kron(torch::kron(torch::eye(models::tensor_size(i), torch::kDouble), turn),
                           torch::eye(models::tensor_size(rank - i - 1), torch::kDouble));
      }
      equations = torch::cat({equations, sum});
    }
    const auto free = [&](const Tensor& e) {
      return size - torch::linalg_matrix_rank(e, 1e-9).item<std::int64_t>();
    };
    EXPECT_EQ(models::invariant_tensors(OrthogonalGroup::so3, rank).size(1), free(equations)) << rank;
    const Tensor mirror = on_tensors(-torch::eye(3, torch::kDouble), rank) - torch::eye(size, torch::kDouble);
    EXPECT_EQ(models::invariant_tensors(OrthogonalGroup::o3, rank).size(1),
              free(torch::cat({equations, mirror})))
        << rank;
  }
}

TEST(Representation, UniformIsFinzis) {
  const Representation rep = Representation::uniform(256);
  EXPECT_EQ(rep.copies, (std::array<std::int64_t, 4>{70, 23, 7, 2}));
  EXPECT_EQ(rep.gated().copies, (std::array<std::int64_t, 4>{102, 23, 7, 2}));
  for (const std::int64_t size : {1, 5, 6, 100, 404}) EXPECT_EQ(Representation::uniform(size).size(), size);
  EXPECT_NE(message([] { Representation::uniform(405); }).find("404"), std::string::npos);
}

class Projections : public ::testing::TestWithParam<OrthogonalGroup> {};

TEST_P(Projections, GiveMatricesThatCommuteWithTheGroup) {
  torch::manual_seed(2);
  const Representation out{{3, 2, 2, 1}, false}, in{{2, 3, 1, 2}, true};
  const models::EquivariantProjection project(GetParam(), out, in);
  const Tensor raw = torch::randn({out.size(), in.size()}, torch::kDouble);
  const Tensor w = project(raw);
  EXPECT_GT(w.abs().max().item<double>(), 0.1);
  expect_close(project(w), w, 1e-13, "projected again");
  for (int i = 0; i < 3; ++i) {
    const Tensor g = random_element(GetParam());
    expect_close(torch::mm(on(out, g), w), torch::mm(w, on(in, g)), 1e-12, "commutes");
  }
  // The projection is complete: it equals the mean over the group.
  const Tensor other = torch::randn({out.size(), in.size()}, torch::kDouble);
  EXPECT_NEAR((project(raw) * other).sum().item<double>(), (raw * project(other)).sum().item<double>(),
              1e-11);
}

TEST_P(Projections, HaveTheRightGradient) {
  const Representation rep{{1, 1, 1, 0}, false};
  const models::EquivariantProjection project(GetParam(), rep, rep);
  const Tensor raw = torch::randn({13, 13}, torch::kDouble).requires_grad_();
  expect_gradients([&] { return project(raw); }, {raw});
}

INSTANTIATE_TEST_SUITE_P(Groups, Projections, ::testing::Values(OrthogonalGroup::so3, OrthogonalGroup::o3));

}  // namespace invariants_test
}  // namespace gcan::test
