#pragma once

// Multivectors as text. What is printed can be read back (expression.h) and gives the same multivector.

#include <iosfwd>
#include <string>

#include "gcan/algebra/multivector_x.h"

namespace gcan {

// "1 + 2e01 - 0.5e12": shortest digits that give the same numbers back, or at most `digits` significant ones.
template <class T>
std::string to_string(const MultivectorX<T>& x, int digits = 0);

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
