#pragma once

// Norms of compile-time and run-time multivectors.

#include <cmath>

#include "gcan/algebra/multivector_x.h"

namespace gcan {

// <x ~x>_0: positive, negative or zero, depending on the metric.
template <Signature S, BladeSet B, class T>
constexpr T norm_squared(const Multivector<S, B, T>& x) {
  return scalar_product(x, ~x);
}
template <class T>
T norm_squared(const MultivectorX<T>& x) {
  return scalar_product(x, ~x);
}

namespace detail {

// The sum of the squares of the coefficients of the blades with a null vector, with the metric of the rest.
template <class T>
struct IdealSum {
  Signature signature;
  T sum{};
  constexpr void add(Blade blade, T c) {
    if ((blade & signature.null_vectors()) == 0) return;
    const bool minus = is_odd(std::popcount(blade & signature.negative_vectors()));
    sum += minus ? -c * c : c * c;
  }
};

}  // namespace detail

// Square root of |<x ~x>|. Zero if x has null blades only, such as points at infinity: see ideal_norm.
template <Signature S, BladeSet B, class T>
Floating<T> norm(const Multivector<S, B, T>& x) {
  return std::sqrt(std::abs(static_cast<Floating<T>>(norm_squared(x))));
}
template <class T>
T norm(const MultivectorX<T>& x) {
  return std::sqrt(std::abs(norm_squared(x)));
}

// The norm of the part at infinity, b in x = a + e0 b. It is t / 2 for the translator 1 - t/2 e01.
template <Signature S, BladeSet B, class T>
Floating<T> ideal_norm(const Multivector<S, B, T>& x) {
  detail::IdealSum<Floating<T>> ideal{S};
  for (std::size_t i = 0; i < x.kSize; ++i) ideal.add(x.kBlades[i], static_cast<Floating<T>>(x[i]));
  return std::sqrt(std::abs(ideal.sum));
}
template <class T>
T ideal_norm(const MultivectorX<T>& x) {
  detail::IdealSum<T> ideal{x.algebra().signature()};
  for (const auto& term : x.terms()) ideal.add(term.blade, term.coefficient);
  return std::sqrt(std::abs(ideal.sum));
}

}  // namespace gcan
