#include "gcan/algebra/algebra.h"

#include <algorithm>
#include <charconv>

namespace gcan {
namespace {

std::string signature_text(Signature s) {
  std::string text = "G(";
  text += std::to_string(s.p) + "," + std::to_string(s.q) + "," + std::to_string(s.r) + ")";
  return text;
}

template <class Predicate>
std::vector<Blade> sorted_blades(Signature s, Predicate keep) {
  std::vector<Blade> blades;
  for (Blade blade = 0; blade < s.blade_count(); ++blade) {
    if (keep(blade)) blades.push_back(blade);
  }
  std::sort(blades.begin(), blades.end(), canonical_less);
  return blades;
}

}  // namespace

Algebra::Algebra(Signature signature) : signature_(signature) {
  if (!signature.valid()) {
    throw Error(signature_text(signature) +
                " is not an algebra of this library: p, q and r must be at least 0 and p + q + r at most " +
                std::to_string(kMaxDimension));
  }
}

Algebra::Algebra(int p, int q, int r) : Algebra(Signature{p, q, r}) {}

Algebra Algebra::parse(std::string_view text) {
  std::string_view numbers = text;
  if (numbers.starts_with("G(") && numbers.ends_with(")")) numbers = numbers.substr(2, numbers.size() - 3);
  const auto bad = [&] {
    return Error("the signature '" + std::string(text) +
                 "' is not understood: expected two or three whole numbers p,q,r such as 3,0,1");
  };
  std::vector<int> values;
  const char* at = numbers.data();
  const char* const end = at + numbers.size();
  while (true) {
    while (at != end && *at == ' ') ++at;
    int value = 0;
    const auto [next, problem] = std::from_chars(at, end, value);
    if (problem != std::errc{}) throw bad();
    values.push_back(value);
    at = next;
    while (at != end && *at == ' ') ++at;
    if (at == end) break;
    if (*at++ != ',') throw bad();
  }
  if (values.size() < 2 || values.size() > 3) throw bad();
  values.resize(3);
  return Algebra(values[0], values[1], values[2]);
}

std::string Algebra::to_string() const { return signature_text(signature_); }

std::vector<Blade> Algebra::blades() const {
  return sorted_blades(signature_, [](Blade) { return true; });
}

std::vector<Blade> Algebra::blades(int grade) const {
  return sorted_blades(signature_, [grade](Blade b) { return gcan::grade(b) == grade; });
}

std::vector<Blade> Algebra::even_blades() const {
  return sorted_blades(signature_, [](Blade b) { return !is_odd(gcan::grade(b)); });
}

std::vector<Blade> Algebra::points() const {
  if (signature_.r != 1) {
    throw Error(to_string() + " has no points: they need exactly one null vector, as in G(3,0,1)");
  }
  const int grade = dimension() - 1;
  return sorted_blades(signature_, [grade](Blade b) { return gcan::grade(b) == grade && (b & 1) != 0; });
}

std::string Algebra::name(Blade blade) const { return std::string(blade_name(signature_, blade).view()); }

SignedBlade Algebra::blade(std::string_view name) const {
  const ParsedBlade parsed = parse_blade(signature_, name);
  std::string quoted = "'";
  quoted.append(name).append("'");
  switch (parsed.problem) {
    case ParsedBlade::Problem::none: return parsed.value;
    case ParsedBlade::Problem::not_a_name:
      throw Error(quoted + " is not the name of a blade: expected 1 or e followed by indices, such as e12");
    case ParsedBlade::Problem::repeated_index:
      throw Error("the index " + std::string(1, parsed.index) + " occurs twice in " + quoted +
                  "; a blade contains a basis vector at most once");
    case ParsedBlade::Problem::unknown_index: break;
  }
  const int first = signature_.first_index();
  const int last = first + dimension() - 1;
  throw Error(to_string() + " has no basis vector e" + parsed.index + ", found in " + quoted + ": " +
              (dimension() == 0 ? "it has none at all"
                                : std::string("its basis vectors are e") + index_character(first) + " to e" +
                                      index_character(last)));
}

std::vector<Algebra::TableEntry> Algebra::product_table(Product product, const std::vector<Blade>& left,
                                                        const std::vector<Blade>& right) const {
  std::vector<TableEntry> entries;
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < right.size(); ++j) {
      const SignedBlade result = multiply(product, signature_, left[i], right[j]);
      if (result.sign != 0) entries.push_back({i, j, result});
    }
  }
  return entries;
}

}  // namespace gcan
