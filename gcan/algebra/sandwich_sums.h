#pragma once

// The terms of a sandwich without repetitions, in the order used by a loop over many actions: each product
// a_l a_r once, and each sum of them once, however many entries of M it occurs in. Lines of PGA, for example,
// rotate like two vectors, so 22 sums give all 27 non-zero entries of M.

#include <span>
#include <vector>

namespace gcan {

struct SandwichTerm;

// Rows of indices, some of which are added and the others subtracted.
struct SignedRows {
  std::vector<int> numbers;
  std::vector<int> ends;  // per row: the ends of the added and of the subtracted indices in `numbers`

  [[nodiscard]] std::size_t size() const { return ends.size() / 2; }
  [[nodiscard]] std::span<const int> added(std::size_t row) const {
    return part(row == 0 ? 0 : ends[2 * row - 1], ends[2 * row]);
  }
  [[nodiscard]] std::span<const int> subtracted(std::size_t row) const {
    return part(ends[2 * row], ends[2 * row + 1]);
  }

 private:
  [[nodiscard]] std::span<const int> part(int first, int last) const {
    return {numbers.data() + first, numbers.data() + last};
  }
};

struct SandwichSums {
  // `diagonal` marks the entries of M that are also in the identity: they share no sum with others, because
  // an inverse may add to them.
  SandwichSums(std::span<const SandwichTerm> terms, std::size_t inputs, std::size_t actions,
               const std::vector<bool>& diagonal);

  // a_left a_right, times two if they are different actions.
  struct Product {
    int left, right;
  };
  std::vector<Product> products;
  SignedRows sums;               // of products
  std::vector<int> of_entry;     // the sum of each entry of M; sums.size() for zero
  std::vector<int> on_diagonal;  // the sums of the diagonal's entries

  // The inverse relations, for gradients.
  SignedRows entries_of;  // of a sum
  SignedRows sums_with;   // a product
  // The products that contain an action, and the other factor of each: those of action i end at
  // partner_ends[i].
  struct Partner {
    int product, other;
  };
  std::vector<Partner> partners;
  std::vector<int> partner_ends;
};

}  // namespace gcan
