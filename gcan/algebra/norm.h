#pragma once

// Norms of multivectors, compile-time and run-time ones.

#include <cmath>

#include "gcan/algebra/multivector_x.h"

namespace gcan {

// <x ~x>_0: positive, negative or zero, as the metric has it.
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

// Square root of |<x ~x>|. Zero for x that consist of null blades only, such as points at infinity: see
// ideal_norm.
template <Signature S, BladeSet B, class T>
Floating<T> norm(const Multivector<S, B, T>& x) {
  return std::sqrt(std::abs(static_cast<Floating<T>>(norm_squared(x))));
}
template <class T>
T norm(const MultivectorX<T>& x) {
  return std::sqrt(std::abs(norm_squared(x)));
}

// The norm of the part at infinity: of b in x = a + e0 b. A translator 1 - t/2 e01 has t / 2.
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
