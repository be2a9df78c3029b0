#pragma once

// exp, log and sqrt, for compile-time and run-time multivectors. Bivectors may be simple, non-simple, null or
// zero; rotors may be half turns.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "gcan/algebra/versor.h"

namespace gcan {

// The exponential of any multivector.
template <class T>
MultivectorX<T> exp(const MultivectorX<T>& x);

// The logarithm of an even versor v with positive ~v v: the log of its norm plus the bivector b with exp(b) =
// v and the smallest angles. Throws Error if there is none (not every versor is an exponential).
template <class T>
MultivectorX<T> log(const MultivectorX<T>& versor);

// A y with y y = x: exp(log(x) / 2) for even versors, otherwise the principal root. Throws Error if no root
// is found.
template <class T>
MultivectorX<T> sqrt(const MultivectorX<T>& x);

namespace detail {

// sin(x) / x, 1 at zero; `sine` is sin(x).
template <class T>
T sinc(T x, T sine) {
  return x == 0 ? T{1} : sine / x;
}
// (sin x - x cos x) / x^3, 1/3 at zero. Below 0.1 the difference cancels and the series is exact to rounding.
template <class T>
T sinc_slope(T x, T sine, T cosine) {
  const T square = x * x;
  if (square < T(0.01)) {
    return T(1) / 3 - square / 30 * (1 - square / 28 * (1 - square / 54 * (1 - square / 88)));
  }
  return (sine - x * cosine) / (x * square);
}
// (sin x - x cos x) / sin(x)^3 for x in [0, pi), 1/3 at zero.
template <class T>
T log_slope(T x, T sine, T cosine) {
  if (x > T(0.1)) return (sine - x * cosine) / (sine * sine * sine);
  const T ratio = sinc(x, sine);
  return sinc_slope(x, sine, cosine) / (ratio * ratio * ratio);
}

// cos(sqrt(-square)) and sin(sqrt(-square)) / sqrt(-square), continued to positive squares (cosh and sinh).
template <class T>
std::pair<T, T> cos_and_sinc(T square) {
  const T root = std::sqrt(std::abs(square));
  if (square <= 0) return {std::cos(root), sinc(root, std::sin(root))};
  return {std::cosh(root), root < T(1e-4) ? 1 + square / 6 : std::sinh(root) / root};
}

template <Signature S, BladeSet B>
inline constexpr bool kIsBivector = grade_blades(S, 2).contains(B);
// Whether every bivector with these blades squares to a scalar.
template <Signature S, BladeSet B>
inline constexpr bool kIsSimple = kIsBivector<S, B>&& kProductBlades<Product::outer, S, B, B>.empty();
// Rotors and motors in two and three dimensions, whose logarithms have a closed form.
template <Signature S>
inline constexpr bool kHasClosedLog = S == kPga3d || (S.q == 0 && S.r <= 1 && S.dimension() <= 3);

}  // namespace detail

// Closed forms for bivectors that are simple by type (all of them in up to three dimensions and in G(2,0,1))
// and for those of G(3,0,1).
template <Signature S, BladeSet B, class T>
auto exp(const Multivector<S, B, T>& x) {
  using U = Floating<T>;
  if constexpr (detail::kIsSimple<S, B>) {
    const auto [c, s] = detail::cos_and_sinc(static_cast<U>(scalar_product(x, x)));
    return c + x * s;
  } else if constexpr (detail::kIsBivector<S, B> && S == kPga3d) {
    // x = (a + d I) L for a line L with L L = -1, where I = e0123 commutes with x and I I = 0. So
    // x x = -a a - 2 a d I =: -a a + t I, and the series splits into cos and sin of a + d I.
    const auto square = x * x;
    const U a = std::sqrt(-static_cast<U>(square.coefficient(0)));
    const U half = static_cast<U>(square.coefficient(S.pseudoscalar())) / 2;
    const Multivector<S, single_blade(S.pseudoscalar()), U> ideal({half});
    const U sine = std::sin(a);
    const U cosine = std::cos(a);
    const U s = detail::sinc(a, sine);
    return EvenMultivector<S, U>(cosine + s * ideal + (s + detail::sinc_slope(a, sine, cosine) * ideal) * x);
  } else if constexpr (even_blades(S).contains(B)) {
    return exp(MultivectorX<U>(x)).template as<EvenMultivector<S, U>>();
  } else {
    return exp(MultivectorX<U>(x)).template as<FullMultivector<S, U>>();
  }
}

// The logarithm of a unit even versor, as a bivector. Closed form for motors of G(3,0,1) and for rotors of
// the plane and of space; otherwise through the run-time logarithm.
template <Signature S, BladeSet B, class T>
auto log(const Multivector<S, B, T>& versor) {
  using U = Floating<T>;
  static_assert(even_blades(S).contains(B), "only even versors have a logarithm");
  if constexpr (detail::kHasClosedLog<S>) {
    const auto b = grade<2>(Multivector<S, B, U>(versor));
    const U cosine = versor.coefficient(0);
    const U sine = std::sqrt(std::max(U{0}, -scalar_product(b, b)));
    // A full turn does not determine its axis; the run-time logarithm chooses one.
    if (!(sine == U{0} && cosine < 0)) {
      const U angle = std::atan2(sine, cosine);
      const U factor = sine == U{0} ? 1 / cosine : angle / sine;
      if constexpr (S == kPga3d) {
        // versor = cos(a + d I) + sin(a + d I) L with L L = -1: see exp.
        const U slope = detail::log_slope(angle, sine, cosine) * versor.coefficient(S.pseudoscalar());
        const Multivector<S, single_blade(S.pseudoscalar()), U> ideal({slope});
        return KVector<S, 2, U>(grade<2>((factor - ideal) * b));
      } else {
        return KVector<S, 2, U>(b * factor);
      }
    }
  }
  return grade(log(MultivectorX<U>(versor)), 2).template as<KVector<S, 2, U>>();
}

// The square root of a unit even versor, halfway between 1 and the versor.
template <Signature S, BladeSet B, class T>
auto sqrt(const Multivector<S, B, T>& versor) {
  using U = Floating<T>;
  if constexpr (detail::kHasClosedLog<S> && B == even_blades(S)) {
    // (1 + v)^2 = v (~v + 2 + v), where the last factor is a Study number; away from full turns, where 1 + v
    // cancels.
    if (versor.coefficient(0) > T(-0.9)) return EvenMultivector<S, U>(normalized(1 + versor));
    return EvenMultivector<S, U>(exp(log(versor) * U(0.5)));
  } else {
    return exp(log(versor) * U(0.5));
  }
}

}  // namespace gcan
