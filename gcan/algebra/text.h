#pragma once

// Prints multivectors in the syntax of expression.h, which reads back the same multivector.

#include <iosfwd>
#include <string>

#include "gcan/algebra/multivector_x.h"

namespace gcan {

// "1 + 2e01 - 0.5e12": the shortest digits that round-trip, or at most `digits` significant digits. An
// exponent is written with its sign and a space before the blade: 1e-17 e12.
template <class T>
std::string to_string(const MultivectorX<T>& x, int digits = 0);

// For display: x without coefficients that are probably rounding errors, those below 1e-13 (float: 1e-5)
// times the largest. Integers are kept, because rounding errors are not integers.
template <class T>
MultivectorX<T> without_dust(const MultivectorX<T>& x);

template <Signature S, BladeSet B, class T>
std::string to_string(const Multivector<S, B, T>& x, int digits = 0) {
  return to_string(MultivectorX<Floating<T>>(x), digits);
}

template <class T>
std::ostream& operator<<(std::ostream& out, const MultivectorX<T>& x);
template <Signature S, BladeSet B, class T>
std::ostream& operator<<(std::ostream& out, const Multivector<S, B, T>& x) {
  return out << MultivectorX<Floating<T>>(x);
}

}  // namespace gcan
