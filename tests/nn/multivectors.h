#pragma once

// Tensors of multivectors against the run-time algebra, one multivector at a time.

#include <gtest/gtest.h>

#include <vector>

#include "gcan/algebra/multivector_x.h"
#include "gcan/nn/tensor_algebra.h"

namespace gcan::test {

using Multivec = MultivectorX<double>;

// All multivectors of the tensor, batch dimensions flattened.
inline std::vector<Multivec> multivectors(const nn::MultivectorTensor& x) {
  const torch::Tensor rows = x.values().detach().to(torch::kDouble).movedim(x.dim(), -1);
  const auto blades = static_cast<std::int64_t>(x.blades().size());
  const std::int64_t count = blades == 0 ? 0 : rows.numel() / blades;
  const torch::Tensor flat = rows.reshape({count, blades}).contiguous();
  std::vector<Multivec> result;
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<Multivec::Term> terms;
    for (std::int64_t k = 0; k < blades; ++k) {
      terms.push_back({x.blades()[static_cast<std::size_t>(k)], flat.data_ptr<double>()[i * blades + k]});
    }
    result.emplace_back(x.algebra(), std::move(terms));
  }
  return result;
}

inline void expect_near(const Multivec& a, const Multivec& b, double tolerance) {
  EXPECT_LE((a - b).coefficient_norm(), tolerance * (1 + b.coefficient_norm()));
}

inline std::vector<Algebra> many_algebras() {
  return {Algebra(1),    Algebra(0, 1),    Algebra(2),       Algebra(0, 2),    Algebra(1, 1),
          Algebra(3),    Algebra(0, 3),    Algebra(2, 0, 1), Algebra(3, 0, 1), Algebra(3, 1),
          Algebra(4, 1), Algebra(2, 1, 1), Algebra(1, 1, 2), Algebra(4)};
}

}  // namespace gcan::test
