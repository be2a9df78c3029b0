#pragma once

// Multivectors as text. What is printed can be read back (expression.h) and gives the same multivector.

#include <iosfwd>
#include <string>

#include "gcan/algebra/multivector_x.h"

namespace gcan {

// "1 + 2e01 - 0.5e12": shortest digits that give the same numbers back, or at most `digits` significant ones.
// Numbers with an exponent have its sign and a space before the blade: 1e-17 e12.
template <class T>
std::string to_string(const MultivectorX<T>& x, int digits = 0);

// For showing to people: x without the coefficients that are most likely what rounding left of a zero, those
// below 1e-13 (float: 1e-5) of the largest one. Whole numbers stay, because rounding leaves none.
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
