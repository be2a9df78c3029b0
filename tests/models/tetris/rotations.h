#pragma once

// Elements of SO(3) and O(3), and their action on tensors.

#include "gcan/models/tetris/invariants.h"

namespace gcan::test {

// Random; for O(3) always a reflection, because SO(3) covers rotations.
inline torch::Tensor random_element(models::OrthogonalGroup group) {
  torch::Tensor q = std::get<0>(torch::linalg_qr(torch::randn({3, 3}, torch::kDouble)));
  if (torch::linalg_det(q).item<double>() < 0) q = -q;
  return group == models::OrthogonalGroup::so3 ? q : -q;
}

// On tensors of a rank: (3^rank, 3^rank).
inline torch::Tensor on_tensors(const torch::Tensor& g, int rank) {
  torch::Tensor matrix = torch::ones({1, 1}, torch::kDouble);
  for (int i = 0; i < rank; ++i) matrix = torch::kron(matrix, g);
  return matrix;
}

// On a representation.
inline torch::Tensor on(const models::Representation& rep, const torch::Tensor& g) {
  torch::Tensor matrix = torch::zeros({rep.size(), rep.size()}, torch::kDouble);
  for (int rank = 0; rank <= models::kMaxRank; ++rank) {
    const torch::Tensor block = on_tensors(g, rank);
    for (std::int64_t copy = 0; copy < rep.copies_of(rank); ++copy) {
      for (std::int64_t i = 0; i < block.size(0); ++i) {
        for (std::int64_t j = 0; j < block.size(0); ++j) {
          matrix[rep.index(rank, copy, i)][rep.index(rank, copy, j)] = block[i][j];
        }
      }
    }
  }
  return matrix;
}

}  // namespace gcan::test
