#pragma once

// Compile-time sets of basis blades, which define what a `Multivector` stores.

#include <algorithm>
#include <array>
#include <cstddef>

#include "gcan/algebra/signature.h"
#include "gcan/base/error.h"

namespace gcan {

// A string literal as a template argument: blade<kPga3d, "e12">.
template <std::size_t N>
struct FixedString {
  char text[N]{};
  constexpr FixedString(const char (&literal)[N]) { std::copy_n(literal, N, text); }  // NOLINT: implicit
  [[nodiscard]] constexpr std::string_view view() const { return {text, N - 1}; }
};

// A set of blades of an algebra with at most eight dimensions; larger algebras use run-time multivectors.
struct BladeSet {
  std::array<std::uint64_t, 4> words{};

  constexpr void insert(Blade blade) {
    if (blade >= 256)
      throw Error("compile-time multivectors have at most 8 dimensions; use Algebra for more");
    words[blade / 64] |= std::uint64_t{1} << (blade % 64);
  }
  [[nodiscard]] constexpr bool contains(Blade blade) const {
    return (words[blade / 64] >> (blade % 64) & 1) != 0;
  }
  [[nodiscard]] constexpr bool contains(const BladeSet& other) const { return (*this | other) == *this; }
  [[nodiscard]] constexpr bool empty() const { return *this == BladeSet{}; }
  [[nodiscard]] constexpr std::size_t size() const {
    int count = 0;
    for (const auto word : words) count += std::popcount(word);
    return static_cast<std::size_t>(count);
  }
  friend constexpr BladeSet operator|(BladeSet a, const BladeSet& b) {
    for (std::size_t i = 0; i < a.words.size(); ++i) a.words[i] |= b.words[i];
    return a;
  }
  friend constexpr BladeSet operator&(BladeSet a, const BladeSet& b) {
    for (std::size_t i = 0; i < a.words.size(); ++i) a.words[i] &= b.words[i];
    return a;
  }
  friend constexpr bool operator==(const BladeSet&, const BladeSet&) = default;
};

// The blades for which `keep` holds.
template <class Predicate>
constexpr BladeSet blades_where(Signature s, Predicate keep) {
  BladeSet set;
  for (Blade blade = 0; blade < s.blade_count(); ++blade) {
    if (keep(blade)) set.insert(blade);
  }
  return set;
}

constexpr BladeSet all_blades(Signature s) {
  return blades_where(s, [](Blade) { return true; });
}
constexpr BladeSet even_blades(Signature s) {
  return blades_where(s, [](Blade b) { return !is_odd(grade(b)); });
}
constexpr BladeSet grade_blades(Signature s, int k) {
  return blades_where(s, [k](Blade b) { return grade(b) == k; });
}
constexpr BladeSet single_blade(Blade blade) {
  BladeSet set;
  set.insert(blade);
  return set;
}

// The blades of a set in canonical order.
template <Signature S, BladeSet B>
inline constexpr auto kOrderedBlades = [] {
  std::array<Blade, B.size()> blades{};
  std::size_t n = 0;
  for (Blade blade = 0; blade < S.blade_count(); ++blade) {
    if (B.contains(blade)) blades[n++] = blade;
  }
  std::sort(blades.begin(), blades.end(), canonical_less);
  return blades;
}();

// Position of each blade in the canonical order of the set, -1 for those not in it.
template <Signature S, BladeSet B>
inline constexpr auto kBladePositions = [] {
  std::array<int, S.blade_count()> positions{};
  positions.fill(-1);
  int n = 0;
  for (const Blade blade : kOrderedBlades<S, B>) positions[blade] = n++;
  return positions;
}();

template <Signature S, BladeSet B>
constexpr std::size_t blade_position(Blade blade) {
  return static_cast<std::size_t>(kBladePositions<S, B>[blade]);
}

// The blades that the product of two multivectors can contain, from the non-zero entries of the sign table.
template <Product P, Signature S, BladeSet A, BladeSet B>
inline constexpr BladeSet kProductBlades = [] {
  BladeSet set;
  for (const Blade a : kOrderedBlades<S, A>) {
    for (const Blade b : kOrderedBlades<S, B>) {
      const SignedBlade ab = multiply(P, S, a, b);
      if (ab.sign != 0) set.insert(ab.blade);
    }
  }
  return set;
}();

}  // namespace gcan
