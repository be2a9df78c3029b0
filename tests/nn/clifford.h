#pragma once

// Clifford layers against sums of products in the run-time algebra.

#include <vector>

#include "gcan/nn/detail/clifford_kernel.h"
#include "tests/nn/message.h"
#include "tests/nn/multivectors.h"

namespace gcan::test {

inline std::vector<Algebra> small_algebras() {
  return {Algebra(1),    Algebra(0, 1), Algebra(0, 0, 1), Algebra(2),       Algebra(1, 1),
          Algebra(0, 2), Algebra(3),    Algebra(0, 3),    Algebra(2, 0, 1), Algebra(1, 2)};
}

// The multivectors of (..., blades).
inline std::vector<Multivec> all_grades(const Algebra& algebra, const torch::Tensor& x) {
  return multivectors(nn::MultivectorTensor(algebra, algebra.blades(), x, -1));
}

// sum_i x_i w_i over channels, for x and w of shape (channels, blades).
inline Multivec product_sum(const Algebra& algebra, const torch::Tensor& x, const torch::Tensor& w) {
  Multivec sum(algebra);
  const auto xs = all_grades(algebra, x);
  const auto ws = all_grades(algebra, w);
  for (std::size_t i = 0; i < xs.size(); ++i) sum = sum + xs[i] * ws[i];
  return sum;
}

}  // namespace gcan::test
