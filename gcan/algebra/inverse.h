#pragma once

// The inverse of any invertible multivector, for compile-time and run-time multivectors.

#include "gcan/algebra/norm.h"

namespace gcan {

// x^-1 with x x^-1 = x^-1 x = 1, for any invertible multivector, not only versors. Computed in double through
// the algebra's complex matrix representation of size 2^(n/2). Throws Error if x is singular.
template <class T>
MultivectorX<T> inverse(const MultivectorX<T>& x);

namespace detail {

[[noreturn]] void throw_singular(const MultivectorX<double>& x);

// ~x x equals its own reverse, so only the grades 0, 1, 4, 5, 8 of it can be non-zero.
template <Signature S, BladeSet B>
inline constexpr BladeSet kSelfProductBlades =
    kProductBlades<Product::geometric, S, B, B>& blades_where(S, [](Blade b) { return reverse_sign(b) > 0; });

template <Signature S, BladeSet B, class T>
constexpr auto self_product(const Multivector<S, B, T>& x) {
  return multiply_onto<Product::geometric, kSelfProductBlades<S, B>>(~x, x);
}

// Where ~x x is s + t J with one further blade J that squares to zero and commutes with x (a Study number, as
// of motors in G(3,0,1)), inverses and roots of it have a closed form.
template <Signature S, BladeSet B>
inline constexpr bool kHasScalarNorm = kSelfProductBlades<S, B> == single_blade(0);
template <Signature S, BladeSet B>
inline constexpr bool kHasStudyNorm =
    kSelfProductBlades<S, B>.size() == 2 && kSelfProductBlades<S, B>.contains(Blade{0}) &&
    kOrderedBlades<S, kSelfProductBlades<S, B>>[1] == S.pseudoscalar() && S.r > 0 && !is_odd(S.dimension()) &&
    even_blades(S).contains(B);

}  // namespace detail

// As above. Uses a closed form if the type implies that ~x x is a scalar (vectors, blades, all versors of up
// to three dimensions) or a Study number (motors), otherwise the run-time inverse.
template <Signature S, BladeSet B, class T>
auto inverse(const Multivector<S, B, T>& x) {
  using U = Floating<T>;
  if constexpr (detail::kHasScalarNorm<S, B> || detail::kHasStudyNorm<S, B>) {
    const auto square = detail::self_product(Multivector<S, B, U>(x));
    const U s = square[0];
    if (!(s != U{0})) detail::throw_singular(MultivectorX<double>(x));
    if constexpr (detail::kHasScalarNorm<S, B>) {
      return ~x / s;
    } else {
      const Multivector<S, single_blade(S.pseudoscalar()), U> ideal({square[1] / s});
      return (1 - ideal) * ~x / s;
    }
  } else {
    return inverse(MultivectorX<U>(x)).template as<FullMultivector<S, U>>();
  }
}

template <Signature S, BladeSet A, class T, BladeSet B, class U>
auto operator/(const Multivector<S, A, T>& a, const Multivector<S, B, U>& b) {
  return a * inverse(b);
}
template <class T>
MultivectorX<T> operator/(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return a * inverse(b);
}

}  // namespace gcan
