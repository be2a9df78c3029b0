#pragma once

// gcan/algebra: geometric algebra G(p,q,r) for any signature, with no dependency but the standard library.
// This header holds the library's only sign table: `multiply(product, signature, a, b)` multiplies two basis
// blades. Compile-time multivectors (multivector.h), run-time multivectors (multivector_x.h) and the layers'
// plans all derive from it.
//
// Conventions: null basis vectors come first, then the positive, then the negative ones. With r > 0 they are
// numbered from e0, otherwise from e1, so that G(3,0,1) has e0 (null), e1, e2, e3. Blades are ordered by
// grade, then lexicographically: 1, e0, e1, e2, e3, e01, e02, e03, e12, e13, e23, e012, ...

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace gcan {

// A basis blade is the set of its basis vectors: bit i stands for the i-th basis vector.
using Blade = std::uint32_t;

inline constexpr int kMaxDimension = 12;

struct Signature {
  int p = 0;  // basis vectors with square +1
  int q = 0;  // basis vectors with square -1
  int r = 0;  // basis vectors with square 0

  friend constexpr bool operator==(const Signature&, const Signature&) = default;

  [[nodiscard]] constexpr bool valid() const {
    return p >= 0 && q >= 0 && r >= 0 && p <= kMaxDimension && q <= kMaxDimension && r <= kMaxDimension &&
           p + q + r <= kMaxDimension;
  }
  [[nodiscard]] constexpr int dimension() const { return p + q + r; }
  [[nodiscard]] constexpr Blade blade_count() const { return Blade{1} << dimension(); }
  [[nodiscard]] constexpr Blade pseudoscalar() const { return blade_count() - 1; }
  [[nodiscard]] constexpr Blade null_vectors() const { return (Blade{1} << r) - 1; }
  [[nodiscard]] constexpr Blade negative_vectors() const {
    return pseudoscalar() & ~((Blade{1} << (r + p)) - 1);
  }
  // Square of the i-th basis vector: 0, +1 or -1.
  [[nodiscard]] constexpr int metric(int i) const { return i < r ? 0 : i < r + p ? 1 : -1; }
  // Number in the name of the first basis vector.
  [[nodiscard]] constexpr int first_index() const { return r > 0 ? 0 : 1; }
};

inline constexpr Signature kPga2d{2, 0, 1};
inline constexpr Signature kPga3d{3, 0, 1};

constexpr int grade(Blade blade) { return std::popcount(blade); }
constexpr bool is_odd(int number) { return (number & 1) != 0; }

// Canonical order: by grade, then lexicographically by the indices. Of two blades of one grade, the one that
// has the lowest basis vector in which they differ comes first.
constexpr bool canonical_less(Blade a, Blade b) {
  if (grade(a) != grade(b)) return grade(a) < grade(b);
  const Blade difference = a ^ b;
  return (a & difference & (~difference + 1)) != 0;
}

// True if sorting the concatenated basis vectors of a and b takes an odd number of swaps. Each vector of b
// passes the vectors of a with a higher index; `above` has bit i set when their number is odd.
constexpr bool odd_reordering(Blade a, Blade b) {
  Blade above = a >> 1;
  above ^= above >> 1;
  above ^= above >> 2;
  above ^= above >> 4;
  above ^= above >> 8;
  return is_odd(std::popcount(above & b));
}

enum class Product {
  geometric,
  outer,              // grade j + k of the product of a j- and a k-blade
  left_contraction,   // grade k - j
  right_contraction,  // grade j - k
  inner,              // grade |j - k|, scalars included
  scalar,             // grade 0
  commutator,         // (ab - ba) / 2
  regressive,         // dual of the outer product of the duals: the join in projective geometry
};

// sign * blade, with sign in {-1, 0, +1}; the blade is meaningless if sign is 0.
struct SignedBlade {
  Blade blade = 0;
  int sign = 0;
  friend constexpr bool operator==(const SignedBlade&, const SignedBlade&) = default;
};

constexpr SignedBlade geometric(Signature s, Blade a, Blade b) {
  const Blade common = a & b;
  if ((common & s.null_vectors()) != 0) return {};
  const bool minus = odd_reordering(a, b) != is_odd(std::popcount(common & s.negative_vectors()));
  return {a ^ b, minus ? -1 : 1};
}

// Right complement: blade ^ right_complement(blade) = pseudoscalar, whatever the metric.
constexpr SignedBlade right_complement(Signature s, Blade blade) {
  const Blade rest = s.pseudoscalar() ^ blade;
  return {rest, odd_reordering(blade, rest) ? -1 : 1};
}

// Left complement, the inverse of the right one: left_complement(blade) ^ blade = pseudoscalar.
constexpr SignedBlade left_complement(Signature s, Blade blade) {
  const Blade rest = s.pseudoscalar() ^ blade;
  return {rest, odd_reordering(rest, blade) ? -1 : 1};
}

// Hodge dual: x ^ dual(x) = <x ~x> pseudoscalar, where null vectors count as +1 so that it is one-to-one for
// r > 0 too. Without null vectors it is ~x times the pseudoscalar.
constexpr SignedBlade hodge_dual(Signature s, Blade blade) {
  SignedBlade dual = right_complement(s, blade);
  if (is_odd(std::popcount(blade & s.negative_vectors()))) dual.sign = -dual.sign;
  return dual;
}

constexpr SignedBlade hodge_undual(Signature s, Blade blade) {
  SignedBlade dual = left_complement(s, blade);
  if (is_odd(std::popcount(dual.blade & s.negative_vectors()))) dual.sign = -dual.sign;
  return dual;
}

constexpr SignedBlade regressive(Signature s, Blade a, Blade b) {
  if ((a | b) != s.pseudoscalar()) return {};
  const SignedBlade x = right_complement(s, a);
  const SignedBlade y = right_complement(s, b);
  const SignedBlade back = left_complement(s, x.blade | y.blade);
  const int sign = x.sign * y.sign * back.sign;
  return {back.blade, odd_reordering(x.blade, y.blade) ? -sign : sign};
}

// The sign table: the product of two basis blades.
constexpr SignedBlade multiply(Product product, Signature s, Blade a, Blade b) {
  bool present = true;
  switch (product) {
    case Product::geometric: break;
    case Product::outer: present = (a & b) == 0; break;
    case Product::left_contraction: present = (a & ~b) == 0; break;
    case Product::right_contraction: present = (b & ~a) == 0; break;
    case Product::inner: present = (a & ~b) == 0 || (b & ~a) == 0; break;
    case Product::scalar: present = a == b; break;
    // Two blades anticommute exactly when this number of swaps is odd.
    case Product::commutator: present = is_odd(grade(a) * grade(b) - grade(a & b)); break;
    case Product::regressive: return regressive(s, a, b);
  }
  return present ? geometric(s, a, b) : SignedBlade{};
}

constexpr int reverse_sign(Blade blade) { return (grade(blade) & 2) != 0 ? -1 : 1; }
constexpr int involution_sign(Blade blade) { return is_odd(grade(blade)) ? -1 : 1; }
constexpr int conjugation_sign(Blade blade) { return reverse_sign(blade) * involution_sign(blade); }

// The name of a blade, such as "1", "e0" or "e12"; the tenth to twelfth index are a, b and c.
struct BladeName {
  std::array<char, kMaxDimension + 2> text{};
  int length = 0;
  [[nodiscard]] constexpr std::string_view view() const {
    return {text.data(), static_cast<std::size_t>(length)};
  }
};

constexpr char index_character(int index) {
  return static_cast<char>(index < 10 ? '0' + index : 'a' + index - 10);
}

constexpr BladeName blade_name(Signature s, Blade blade) {
  BladeName name;
  const auto append = [&name](char c) { name.text[static_cast<std::size_t>(name.length++)] = c; };
  if (blade == 0) append('1');
  if (blade != 0) append('e');
  for (int i = 0; i < s.dimension(); ++i) {
    if ((blade >> i & 1) != 0) append(index_character(i + s.first_index()));
  }
  return name;
}

// Parses a blade's name; indices may be in any order: e31 is -e13. For an invalid name, `problem` says what
// is wrong and `index` which character.
struct ParsedBlade {
  enum class Problem { none, not_a_name, unknown_index, repeated_index };
  SignedBlade value;
  Problem problem = Problem::none;
  char index = 0;
};

constexpr ParsedBlade parse_blade(Signature s, std::string_view name) {
  using Problem = ParsedBlade::Problem;
  if (name == "1") return {{0, 1}, Problem::none, 0};
  if (name.size() < 2 || name[0] != 'e') return {{}, Problem::not_a_name, 0};
  SignedBlade value{0, 1};
  for (const char c : name.substr(1)) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (c < 'a' || c > 'c')) return {{}, Problem::not_a_name, c};
    const int i = (digit ? c - '0' : c - 'a' + 10) - s.first_index();
    if (i < 0 || i >= s.dimension()) return {{}, Problem::unknown_index, c};
    const Blade vector = Blade{1} << i;
    if ((value.blade & vector) != 0) return {{}, Problem::repeated_index, c};
    if (odd_reordering(value.blade, vector)) value.sign = -value.sign;
    value.blade |= vector;
  }
  return {value, Problem::none, 0};
}

}  // namespace gcan
