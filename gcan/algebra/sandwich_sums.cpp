#include "gcan/algebra/sandwich_sums.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "gcan/algebra/sandwich_plan.h"

namespace gcan {
namespace {

// A number and whether it is subtracted.
using Signed = std::pair<int, bool>;

SignedRows signed_rows(const std::vector<std::vector<Signed>>& rows) {
  SignedRows result;
  for (const std::vector<Signed>& row : rows) {
    for (const bool subtracted : {false, true}) {
      for (const auto& [number, is_subtracted] : row) {
        if (is_subtracted == subtracted) result.numbers.push_back(number);
      }
      result.ends.push_back(static_cast<int>(result.numbers.size()));
    }
  }
  return result;
}

std::size_t place(int number) { return static_cast<std::size_t>(number); }

}  // namespace

SandwichSums::SandwichSums(std::span<const SandwichTerm> terms, std::size_t inputs, std::size_t actions,
                           const std::vector<bool>& diagonal) {
  std::map<std::pair<int, int>, int> number_of_product;
  std::vector<std::vector<Signed>> entries(diagonal.size());
  for (const SandwichTerm& t : terms) {
    const auto [known, is_new] =
        number_of_product.try_emplace({t.left, t.right}, static_cast<int>(products.size()));
    if (is_new) products.push_back({t.left, t.right});
    entries[place(t.output) * inputs + place(t.input)].emplace_back(known->second, t.coefficient < 0);
  }

  std::map<std::tuple<std::vector<Signed>, bool>, int> number_of_sum;
  std::vector<std::vector<Signed>> made, entries_of_sum;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    std::sort(entries[e].begin(), entries[e].end());
    if (entries[e].empty() && !diagonal[e]) {
      of_entry.push_back(-1);
      continue;
    }
    const auto [known, is_new] =
        number_of_sum.try_emplace({entries[e], diagonal[e]}, static_cast<int>(made.size()));
    of_entry.push_back(known->second);
    if (is_new) {
      if (diagonal[e]) on_diagonal.push_back(known->second);
      made.push_back(entries[e]);
      entries_of_sum.emplace_back();
    }
    entries_of_sum[place(known->second)].emplace_back(static_cast<int>(e), false);
  }
  std::replace(of_entry.begin(), of_entry.end(), -1, static_cast<int>(made.size()));

  std::vector<std::vector<Signed>> sums_of_product(products.size());
  for (std::size_t s = 0; s < made.size(); ++s) {
    for (const auto& [product, subtracted] : made[s]) {
      sums_of_product[place(product)].emplace_back(static_cast<int>(s), subtracted);
    }
  }
  sums = signed_rows(made);
  entries_of = signed_rows(entries_of_sum);
  sums_with = signed_rows(sums_of_product);

  for (std::size_t i = 0; i < actions; ++i) {
    const int action = static_cast<int>(i);
    for (std::size_t k = 0; k < products.size(); ++k) {
      const auto [left, right] = products[k];
      if (left == action) partners.push_back({static_cast<int>(k), right});
      if (right == action && left != action) partners.push_back({static_cast<int>(k), left});
    }
    partner_ends.push_back(static_cast<int>(partners.size()));
  }
}

}  // namespace gcan
