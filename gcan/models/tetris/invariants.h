#pragma once

// Representations of the rotations SO(3), or of all orthogonal maps O(3), made of tensors, and the linear
// maps between them that commute with the group (Finzi, Welling, Wilson 2021).

#include <array>
#include <vector>

#include "gcan/torch.h"

namespace gcan::models {

enum class OrthogonalGroup { so3, o3 };

inline constexpr int kMaxRank = 3;

// 3^rank, the components of a tensor.
constexpr std::int64_t tensor_size(int rank) {
  std::int64_t size = 1;
  for (; rank > 0; --rank) size *= 3;
  return size;
}

// A number of tensors of each rank 0 to 3, ordered by rank. Within a rank the layout is (3^r, copies) or
// (copies, 3^r).
struct Representation {
  std::array<std::int64_t, kMaxRank + 1> copies{};
  bool copy_by_copy = false;

  [[nodiscard]] std::int64_t copies_of(int rank) const { return copies[static_cast<std::size_t>(rank)]; }
  // The offset of the tensors of a rank; for kMaxRank + 1 the total size.
  [[nodiscard]] std::int64_t start(int rank) const;
  [[nodiscard]] std::int64_t size() const { return start(kMaxRank + 1); }
  [[nodiscard]] std::int64_t index(int rank, std::int64_t copy, std::int64_t component) const;

  // `count` vectors, in the layout of points.
  static Representation vectors(std::int64_t count);
  // Finzi's uniform representation: about equally many numbers of each rank, `size` in total (from 1 to 404).
  static Representation uniform(std::int64_t size);
  // With an additional scalar, the gate, for each tensor that is not a scalar.
  [[nodiscard]] Representation gated() const;
};

// An orthonormal basis of the invariant tensors of a rank: (3^rank, dimension), double. They are spanned by
// products of delta_ij and, for SO(3) and odd rank, one epsilon_ijk (Weyl's first fundamental theorem).
// Computed once for each group and rank.
const torch::Tensor& invariant_tensors(OrthogonalGroup group, int rank);

// The orthogonal projection of matrices (out.size(), in.size()) onto those that commute with the group: for
// each pair of an output of rank q and an input of rank p, onto the invariant tensors of rank q + p.
class EquivariantProjection {
 public:
  EquivariantProjection(OrthogonalGroup group, const Representation& out, const Representation& in);

  // The projection is symmetric, so its gradient is the projection of the gradient.
  [[nodiscard]] torch::Tensor operator()(const torch::Tensor& matrix) const;

 private:
  // Shared with pending backward passes.
  struct Blocks;
  struct Function;

  c10::intrusive_ptr<torch::CustomClassHolder> blocks_;
};

}  // namespace gcan::models
