#pragma once

// The terms of a sandwich without repetitions, in the order in which a loop over many actions uses them: each
// product a_l a_r once, and each sum of them once, however many entries of M it is. Lines of PGA, for
// example, are turned as two vectors, so that 22 sums make all 27 entries of M that are not zero.

#include <span>
#include <vector>

namespace gcan {

struct SandwichTerm;

// Rows of numbers, of which some are added and the others subtracted.
struct SignedRows {
  std::vector<int> numbers;
  std::vector<int> ends;  // per row: where what is added ends in `numbers`, and where what is subtracted ends

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
  // `diagonal` tells for each entry of M whether the identity has it too: such entries share no sum with
  // others, as an inverse may add to them.
  SandwichSums(std::span<const SandwichTerm> terms, std::size_t inputs, std::size_t actions,
               const std::vector<bool>& diagonal);

  // a_left a_right, twice if they are different actions.
  struct Product {
    int left, right;
  };
  std::vector<Product> products;
  SignedRows sums;               // of products
  std::vector<int> of_entry;     // which sum an entry of M is; sums.size() for zero
  std::vector<int> on_diagonal;  // the sums of the diagonal's entries

  // The other way round, for gradients.
  SignedRows entries_of;  // of a sum
  SignedRows sums_with;   // a product
  // The products with an action, and its partner in each: those of action i end at partner_ends[i].
  struct Partner {
    int product, other;
  };
  std::vector<Partner> partners;
  std::vector<int> partner_ends;
};

}  // namespace gcan
