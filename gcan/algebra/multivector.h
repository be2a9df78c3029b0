#pragma once

// Compile-time multivectors. `Multivector<S, B, T>` stores exactly the blades B of the algebra S; a product
// stores exactly the blades that can be non-zero, and compiles to straight-line code without table look-ups.
//
//   constexpr auto e12 = gcan::blade<gcan::Signature{3, 0, 0}, "e12">;
//   auto rotor = 0.8 + 0.6 * e12;                  // blades 1 and e12 only
//   auto turned = rotor * vector * ~rotor;
//
// Operators: * geometric, ^ outer, | inner, & regressive, << left and >> right contraction, ~ reverse. C++
// gives ^, |, &, << and >> a lower precedence than + and *: use parentheses or the named functions.

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gcan/algebra/blade_set.h"
#include "gcan/base/error.h"

namespace gcan {

// Code that depends on the width of the target's SIMD registers is in an inline namespace named after the
// width. Files compiled with different flags therefore never share a definition that differs between them.
#if defined(__AVX512F__)
#define GCAN_SIMD_NAMESPACE simd_512
#elif defined(__AVX__)
#define GCAN_SIMD_NAMESPACE simd_256
#else
#define GCAN_SIMD_NAMESPACE simd_128
#endif

inline namespace GCAN_SIMD_NAMESPACE {

// The width of the target's SIMD registers.
#if defined(__AVX512F__)
inline constexpr std::size_t kPackBytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t kPackBytes = 32;
#else
inline constexpr std::size_t kPackBytes = 16;
#endif

}  // namespace GCAN_SIMD_NAMESPACE

// Specialised to true for SIMD packs (pack.h), which serve as coefficients like numbers do.
template <class T>
inline constexpr bool kIsPack = false;

template <class T>
concept Coefficient = std::is_arithmetic_v<T> || kIsPack<T>;

namespace detail {

// Numbers promote as in C++; a number and a pack give a pack.
template <class A, class B>
struct Promote {
  using type = std::common_type_t<A, B>;
};
template <class A, class B>
requires(kIsPack<A>) struct Promote<A, B> {
  using type = A;
};
template <class A, class B>
requires(!kIsPack<A> && kIsPack<B>) struct Promote<A, B> {
  using type = B;
};

template <class To, class From>
constexpr To coefficient_cast(const From& value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsPack<To>) {
    return To{} + static_cast<std::remove_cvref_t<decltype(To{}[0])>>(value);
  } else {
    return static_cast<To>(value);
  }
}

// The terms of a product, sorted by the position of the blade they add to.
struct ProductTerm {
  std::size_t left;
  std::size_t right;
  bool minus;
};

template <Product P, Signature S, BladeSet A, BladeSet B>
struct ProductTerms {
  static constexpr BladeSet kResult = kProductBlades<P, S, A, B>;
  static constexpr std::size_t kCount = [] {
    std::size_t count = 0;
    for (const Blade a : kOrderedBlades<S, A>) {
      for (const Blade b : kOrderedBlades<S, B>) count += multiply(P, S, a, b).sign != 0;
    }
    return count;
  }();
  struct Table {
    std::array<ProductTerm, kCount> terms{};
    std::array<std::size_t, kResult.size() + 1> begin{};
  };
  // A counting sort keeps full products in six dimensions within compilers' constexpr step limits.
  static constexpr Table kTable = [] {
    Table table;
    constexpr std::size_t rows = A.size();
    constexpr std::size_t columns = B.size();
    std::array<SignedBlade, rows * columns> products{};
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        const SignedBlade ab = multiply(P, S, kOrderedBlades<S, A>[i], kOrderedBlades<S, B>[j]);
        products[i * columns + j] = ab;
        if (ab.sign != 0) ++table.begin[blade_position<S, kResult>(ab.blade) + 1];
      }
    }
    for (std::size_t k = 1; k < table.begin.size(); ++k) table.begin[k] += table.begin[k - 1];
    auto next = table.begin;
    for (std::size_t n = 0; n < products.size(); ++n) {
      const SignedBlade ab = products[n];
      if (ab.sign == 0) continue;
      table.terms[next[blade_position<S, kResult>(ab.blade)]++] = {n / columns, n % columns, ab.sign < 0};
    }
    return table;
  }();
};

}  // namespace detail

template <class A, class B>
using Promoted = typename detail::Promote<A, B>::type;
// The type of a quotient, norm or exponential: integers become double.
template <class T>
using Floating = std::conditional_t<std::is_integral_v<T>, double, T>;

template <Signature S, BladeSet B, Coefficient T = double>
class Multivector {
  static_assert(S.valid(), "p, q and r must be at least 0");
  static_assert(all_blades(S).contains(B), "the blade set contains blades that the algebra does not have");

 public:
  using Scalar = T;
  static constexpr Signature kSignature = S;
  static constexpr BladeSet kBladeSet = B;
  static constexpr std::size_t kSize = B.size();
  static constexpr bool kHasScalar = B.contains(Blade{0});
  // The stored blades, in the order of the coefficients.
  static constexpr auto& kBlades = kOrderedBlades<S, B>;

  constexpr Multivector() = default;
  constexpr explicit Multivector(const std::array<T, kSize>& coefficients) : coefficients_(coefficients) {}

  // NOLINTBEGIN(google-explicit-constructor): implicit, as from int to double From a multivector with fewer
  // blades or another number type; exact except for rounding.
  template <BladeSet B2, Coefficient U>
  requires(B.contains(B2)) constexpr Multivector(const Multivector<S, B2, U>& other) {
    for (std::size_t i = 0; i < B2.size(); ++i) {
      coefficients_[blade_position<S, B>(other.kBlades[i])] = detail::coefficient_cast<T>(other[i]);
    }
  }
  // From a scalar.
  template <Coefficient U>
  requires(kHasScalar) constexpr Multivector(const U& scalar) {
    coefficients_[0] = detail::coefficient_cast<T>(scalar);
  }
  // NOLINTEND(google-explicit-constructor)

  constexpr T& operator[](std::size_t i) { return coefficients_[i]; }
  constexpr const T& operator[](std::size_t i) const { return coefficients_[i]; }
  [[nodiscard]] constexpr const std::array<T, kSize>& coefficients() const { return coefficients_; }

  // The coefficient of a named blade; get<"e31">() is minus get<"e13">(). Does not compile where the blade is
  // not stored.
  template <FixedString Name>
  [[nodiscard]] constexpr T get() const {
    constexpr auto place = stored<Name>();
    return place.sign > 0 ? coefficients_[blade_position<S, B>(place.blade)]
                          : -coefficients_[blade_position<S, B>(place.blade)];
  }
  template <FixedString Name>
  constexpr void set(const T& value) {
    constexpr auto place = stored<Name>();
    coefficients_[blade_position<S, B>(place.blade)] = place.sign > 0 ? value : -value;
  }
  // The coefficient of any blade of the algebra: zero where it is not stored.
  [[nodiscard]] constexpr T coefficient(Blade blade) const {
    const int i = blade < S.blade_count() ? kBladePositions<S, B>[blade] : -1;
    return i < 0 ? T{} : coefficients_[static_cast<std::size_t>(i)];
  }

  template <BladeSet B2, Coefficient U>
  requires(B.contains(B2)) constexpr Multivector& operator+=(const Multivector<S, B2, U>& other) {
    return *this = *this + other;
  }
  template <BladeSet B2, Coefficient U>
  requires(B.contains(B2)) constexpr Multivector& operator-=(const Multivector<S, B2, U>& other) {
    return *this = *this - other;
  }
  template <Coefficient U>
  constexpr Multivector& operator*=(const U& factor) {
    for (auto& c : coefficients_) c *= detail::coefficient_cast<T>(factor);
    return *this;
  }
  template <Coefficient U>
  constexpr Multivector& operator/=(const U& divisor) {
    for (auto& c : coefficients_) c /= detail::coefficient_cast<T>(divisor);
    return *this;
  }

  friend constexpr bool operator==(const Multivector&, const Multivector&) = default;

 private:
  template <FixedString Name>
  static consteval SignedBlade stored() {
    constexpr ParsedBlade parsed = parse_blade(S, Name.view());
    static_assert(parsed.problem == ParsedBlade::Problem::none, "no blade of this algebra has that name");
    static_assert(parsed.problem != ParsedBlade::Problem::none || B.contains(parsed.value.blade),
                  "this multivector does not store that blade");
    return parsed.value;
  }

  std::array<T, kSize> coefficients_{};
};

namespace detail {

template <Signature S, class Name>
consteval SignedBlade named_blade(Name name) {
  const ParsedBlade parsed = parse_blade(S, name.view());
  if (parsed.problem != ParsedBlade::Problem::none) throw Error("no blade of this algebra has that name");
  return parsed.value;
}

}  // namespace detail

// The unit blade of that name. Its coefficient is an integer, which promotes to the type of the other
// operand.
template <Signature S, FixedString Name>
inline constexpr auto blade = [] {
  constexpr SignedBlade value = detail::named_blade<S>(Name);
  return Multivector<S, single_blade(value.blade), int>({value.sign});
}();

// Multivectors with the blades of one grade, of the even grades, and of all grades.
template <Signature S, int K, class T = double>
using KVector = Multivector<S, grade_blades(S, K), T>;
template <Signature S, class T = double>
using EvenMultivector = Multivector<S, even_blades(S), T>;
template <Signature S, class T = double>
using FullMultivector = Multivector<S, all_blades(S), T>;

// ---- linear operations --------------------------------------------------------------------------------

namespace detail {

// x with the blades `Target`: blades that x does not have become zero.
template <BladeSet Target, class U, Signature S, BladeSet B, class T>
constexpr Multivector<S, Target, U> restricted(const Multivector<S, B, T>& x) {
  Multivector<S, Target, U> result;
  for (std::size_t i = 0; i < result.kSize; ++i) {
    result[i] = coefficient_cast<U>(x.coefficient(result.kBlades[i]));
  }
  return result;
}

// Each coefficient times a sign that depends on its blade.
template <Signature S, BladeSet B, class T, class Sign>
constexpr Multivector<S, B, T> with_signs(Multivector<S, B, T> x, Sign sign) {
  for (std::size_t i = 0; i < x.kSize; ++i) {
    if (sign(x.kBlades[i]) < 0) x[i] = -x[i];
  }
  return x;
}

}  // namespace detail

template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto operator+(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  using V = Promoted<T, U>;
  auto sum = detail::restricted<A | B, V>(a);
  for (std::size_t i = 0; i < B.size(); ++i) {
    sum[blade_position<S, A | B>(b.kBlades[i])] += detail::coefficient_cast<V>(b[i]);
  }
  return sum;
}

template <Signature S, BladeSet B, class T>
constexpr Multivector<S, B, T> operator-(const Multivector<S, B, T>& x) {
  return detail::with_signs(x, [](Blade) { return -1; });
}

template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto operator-(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return a + (-b);
}

template <Signature S, class T>
constexpr auto as_multivector(const T& number) {
  return Multivector<S, single_blade(0), T>(std::array<T, 1>{number});
}

template <Signature S, BladeSet B, class T, Coefficient U>
constexpr auto operator+(const Multivector<S, B, T>& x, const U& number) {
  return x + as_multivector<S>(number);
}
template <Signature S, BladeSet B, class T, Coefficient U>
constexpr auto operator+(const U& number, const Multivector<S, B, T>& x) {
  return as_multivector<S>(number) + x;
}
template <Signature S, BladeSet B, class T, Coefficient U>
constexpr auto operator-(const Multivector<S, B, T>& x, const U& number) {
  return x - as_multivector<S>(number);
}
template <Signature S, BladeSet B, class T, Coefficient U>
constexpr auto operator-(const U& number, const Multivector<S, B, T>& x) {
  return as_multivector<S>(number) - x;
}

template <Signature S, BladeSet B, class T, Coefficient U>
constexpr auto operator*(const Multivector<S, B, T>& x, const U& factor) {
  using V = Promoted<T, U>;
  Multivector<S, B, V> result;
  for (std::size_t i = 0; i < B.size(); ++i) {
    result[i] = detail::coefficient_cast<V>(x[i]) * detail::coefficient_cast<V>(factor);
  }
  return result;
}
template <Signature S, BladeSet B, class T, Coefficient U>
constexpr auto operator*(const U& factor, const Multivector<S, B, T>& x) {
  return x * factor;
}
template <Signature S, BladeSet B, class T, Coefficient U>
constexpr auto operator/(const Multivector<S, B, T>& x, const U& divisor) {
  using V = Floating<Promoted<T, U>>;
  return x * (detail::coefficient_cast<V>(1) / detail::coefficient_cast<V>(divisor));
}

// ---- products -------------------------------------------------------------------------------------------

namespace detail {

template <class Terms, std::size_t K, class V, class A, class B, std::size_t... N>
[[gnu::always_inline]] constexpr V product_coefficient(const A& a, const B& b, std::index_sequence<N...>) {
  constexpr auto& terms = Terms::kTable.terms;
  constexpr std::size_t first = Terms::kTable.begin[K];
  const auto term = [&](std::size_t n) {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the analyzer does not follow pack expansions
    return coefficient_cast<V>(a[terms[n].left]) * coefficient_cast<V>(b[terms[n].right]);
  };
  V sum = terms[first].minus ? -term(first) : term(first);
  ((terms[first + 1 + N].minus ? sum -= term(first + 1 + N) : sum += term(first + 1 + N)), ...);
  return sum;
}

}  // namespace detail

namespace detail {

// Products within a closed set of blades (rotors, motors, whole small algebras) of one type of number fit
// SIMD registers: for each blade i of a, all results at once get a_i times a permutation of b with signs.
template <class Terms, Signature S, BladeSet A, class T, BladeSet B, class U>
inline constexpr bool kFitsRegisters = std::is_same_v<T, U>&& std::is_floating_point_v<T>&& A == B&& A ==
                                           Terms::kResult&& A.size() >= 4 &&
                                       A.size() * sizeof(T) <= kPackBytes&& std::has_single_bit(A.size()) &&
                                       2 * Terms::kCount >= A.size() * A.size();

// For each i: which blade of b goes to result k, and with which sign (0: none).
template <std::size_t N>
struct RegisterTable {
  std::array<std::array<int, N>, N> source{};
  std::array<std::array<int, N>, N> sign{};
};
template <class Terms, std::size_t N>
inline constexpr auto kRegisterTable = [] {
  RegisterTable<N> table;
  for (std::size_t k = 0; k < N; ++k) {
    for (std::size_t n = Terms::kTable.begin[k]; n < Terms::kTable.begin[k + 1]; ++n) {
      const ProductTerm term = Terms::kTable.terms[n];
      table.source[term.left][k] = static_cast<int>(term.right);
      table.sign[term.left][k] = term.minus ? -1 : 1;
    }
  }
  return table;
}();

template <class T, std::size_t N>
struct RegisterOf {
  using type [[gnu::vector_size(N * sizeof(T))]] = T;
};

template <class Terms, class M, std::size_t... K>
[[gnu::always_inline]] inline M register_product(const M& a, const M& b, std::index_sequence<K...>) {
  using T = typename M::Scalar;
  constexpr std::size_t n = sizeof...(K);
  using Register = typename RegisterOf<T, n>::type;
  constexpr auto& table = kRegisterTable<Terms, n>;
  Register right;
  std::memcpy(&right, b.coefficients().data(), sizeof right);
  const auto add_term = [&]<std::size_t I>(Register& sum, std::integral_constant<std::size_t, I>) {
    // NOLINTBEGIN(clang-analyzer-core.CallAndMessage): the analyzer does not follow pack expansions
    constexpr Register signs = {static_cast<T>(table.sign[I][K])...};
    sum += a[I] * (__builtin_shufflevector(right, right, table.source[I][K]...) * signs);
    // NOLINTEND(clang-analyzer-core.CallAndMessage)
  };
  // Two independent sums shorten the dependency chain.
  Register even{};
  Register odd{};
  (add_term(K % 2 == 0 ? even : odd, std::integral_constant<std::size_t, K>{}), ...);
  even += odd;
  std::array<T, n> result;
  std::memcpy(result.data(), &even, sizeof even);
  return M(result);
}

}  // namespace detail

// The part of a product on the blades of the target; other coefficients are not computed.
template <Product P, BladeSet Target, Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto multiply_onto(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  using Terms = detail::ProductTerms<P, S, A, B>;
  using V = Promoted<T, U>;
  constexpr BladeSet kept = Terms::kResult & Target;
  Multivector<S, kept, V> result;
  [&]<std::size_t... N>(std::index_sequence<N...>) {
    [[maybe_unused]] const auto compute = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      constexpr std::size_t terms = Terms::kTable.begin[K + 1] - Terms::kTable.begin[K];
      return detail::product_coefficient<Terms, K, V>(a, b, std::make_index_sequence<terms - 1>{});
    };
    ((result[N] = compute(std::integral_constant<std::size_t, blade_position<S, Terms::kResult>(
                                                                  kOrderedBlades<S, kept>[N])>{})),
     ...);
  }
  (std::make_index_sequence<kept.size()>{});
  return result;
}

template <Product P, Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto multiply(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  using Terms = detail::ProductTerms<P, S, A, B>;
  if constexpr (detail::kFitsRegisters<Terms, S, A, T, B, U>) {
    if (!std::is_constant_evaluated()) {
      return detail::register_product<Terms>(a, b, std::make_index_sequence<A.size()>{});
    }
  }
  return multiply_onto<P, Terms::kResult>(a, b);
}

template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto operator*(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return multiply<Product::geometric>(a, b);
}
template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto outer(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return multiply<Product::outer>(a, b);
}
template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto inner(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return multiply<Product::inner>(a, b);
}
template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto left_contraction(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return multiply<Product::left_contraction>(a, b);
}
template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto right_contraction(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return multiply<Product::right_contraction>(a, b);
}
template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto regressive(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return multiply<Product::regressive>(a, b);
}
template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto commutator(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return multiply<Product::commutator>(a, b);
}
// <ab>_0.
template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr Promoted<T, U> scalar_product(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return multiply<Product::scalar>(a, b).coefficient(0);
}

template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto operator^(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return outer(a, b);
}
template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto operator|(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return inner(a, b);
}
template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto operator&(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return regressive(a, b);
}
template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto operator<<(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return left_contraction(a, b);
}
template <Signature S, BladeSet A, class T, BladeSet B, class U>
constexpr auto operator>>(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return right_contraction(a, b);
}

// ---- involutions, grades, duals -------------------------------------------------------------------------

template <Signature S, BladeSet B, class T>
constexpr auto reverse(const Multivector<S, B, T>& x) {
  return detail::with_signs(x, reverse_sign);
}
template <Signature S, BladeSet B, class T>
constexpr auto operator~(const Multivector<S, B, T>& x) {
  return reverse(x);
}
template <Signature S, BladeSet B, class T>
constexpr auto grade_involution(const Multivector<S, B, T>& x) {
  return detail::with_signs(x, involution_sign);
}
template <Signature S, BladeSet B, class T>
constexpr auto clifford_conjugate(const Multivector<S, B, T>& x) {
  return detail::with_signs(x, conjugation_sign);
}

// The part with the given blades, and the part of one grade.
template <BladeSet Target, Signature S, BladeSet B, class T>
constexpr auto select(const Multivector<S, B, T>& x) {
  return detail::restricted<B & Target, T>(x);
}
template <int K, Signature S, BladeSet B, class T>
constexpr auto grade(const Multivector<S, B, T>& x) {
  return select<grade_blades(S, K)>(x);
}

namespace detail {

template <SignedBlade (*Map)(Signature, Blade), Signature S, BladeSet B, class T>
constexpr auto dual_by(const Multivector<S, B, T>& x) {
  constexpr BladeSet target = [] {
    BladeSet set;
    for (const Blade blade : kOrderedBlades<S, B>) set.insert(Map(S, blade).blade);
    return set;
  }();
  Multivector<S, target, T> result;
  for (std::size_t i = 0; i < B.size(); ++i) {
    const SignedBlade image = Map(S, x.kBlades[i]);
    result[blade_position<S, target>(image.blade)] = image.sign > 0 ? x[i] : -x[i];
  }
  return result;
}

}  // namespace detail

template <Signature S, BladeSet B, class T>
constexpr auto right_complement(const Multivector<S, B, T>& x) {
  return detail::dual_by<right_complement>(x);
}
template <Signature S, BladeSet B, class T>
constexpr auto left_complement(const Multivector<S, B, T>& x) {
  return detail::dual_by<left_complement>(x);
}
// The Hodge dual and its inverse; valid for r > 0 too.
template <Signature S, BladeSet B, class T>
constexpr auto dual(const Multivector<S, B, T>& x) {
  return detail::dual_by<hodge_dual>(x);
}
template <Signature S, BladeSet B, class T>
constexpr auto undual(const Multivector<S, B, T>& x) {
  return detail::dual_by<hodge_undual>(x);
}

}  // namespace gcan
