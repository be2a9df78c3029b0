#pragma once

// Run-time multivectors: the algebra is a value, and only non-zero blades are stored. Same names and
// operators as the compile-time `Multivector`; slower, but works for any of the 2^12 blades.

#include <cstddef>
#include <string_view>
#include <vector>

#include "gcan/algebra/algebra.h"
#include "gcan/algebra/multivector.h"

namespace gcan {

// A multivector of an algebra known at run time (X as in Eigen's MatrixX), T = float or double.
//
//   const gcan::Algebra g3(3);
//   const gcan::MultivectorX<double> a(g3, {{g3.blade("e1").blade, 2.0}});
//   a * a;                                          // 4
template <class T>
class MultivectorX {
 public:
  struct Term {
    Blade blade;
    T coefficient;
    friend bool operator==(const Term&, const Term&) = default;
  };
  using Scalar = T;

  explicit MultivectorX(const Algebra& algebra, T scalar = T{0}) : MultivectorX(algebra, {{0, scalar}}) {}
  // Terms in any order; repeated blades are summed and zeros dropped.
  MultivectorX(const Algebra& algebra, std::vector<Term> terms);
  // The unit blade of that name: unit(pga, "e31") is -e13.
  static MultivectorX unit(const Algebra& algebra, std::string_view name);

  template <Signature S, BladeSet B, class U>
  explicit MultivectorX(const Multivector<S, B, U>& x) : algebra_(S) {
    for (std::size_t i = 0; i < x.kSize; ++i) {
      if (x[i] != U{0}) terms_.push_back({x.kBlades[i], static_cast<T>(x[i])});
    }
  }
  // Converts to a compile-time multivector; Error if this has a blade that Target does not store.
  template <class Target>
  [[nodiscard]] Target as() const;

  template <class U>
  [[nodiscard]] MultivectorX<U> cast() const;

  [[nodiscard]] const Algebra& algebra() const { return algebra_; }
  // The non-zero terms in canonical order.
  [[nodiscard]] const std::vector<Term>& terms() const& { return terms_; }
  [[nodiscard]] std::vector<Term> terms() && { return std::move(terms_); }
  [[nodiscard]] bool is_zero() const { return terms_.empty(); }
  [[nodiscard]] T coefficient(Blade blade) const;
  [[nodiscard]] T scalar() const { return coefficient(0); }
  // The Euclidean norm of the coefficients, independent of the metric; the reference for rounding errors.
  [[nodiscard]] T coefficient_norm() const;
  // Whether the predicate holds for all stored blades.
  template <class Predicate>
  [[nodiscard]] bool only(Predicate keep) const;
  // The part on the blades for which the predicate holds.
  template <class Predicate>
  [[nodiscard]] MultivectorX where(Predicate keep) const;

  friend bool operator==(const MultivectorX&, const MultivectorX&) = default;

 private:
  Algebra algebra_;
  std::vector<Term> terms_;
};

template <class T>
MultivectorX<T> multiply(Product product, const MultivectorX<T>& a, const MultivectorX<T>& b);

template <class T>
MultivectorX<T> operator+(const MultivectorX<T>& a, const MultivectorX<T>& b);
template <class T>
MultivectorX<T> operator-(const MultivectorX<T>& x);
template <class T>
MultivectorX<T> operator*(const MultivectorX<T>& x, std::type_identity_t<T> factor);

template <class T>
MultivectorX<T> operator-(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return a + (-b);
}
template <class T>
MultivectorX<T> operator+(const MultivectorX<T>& x, std::type_identity_t<T> number) {
  return x + MultivectorX<T>(x.algebra(), number);
}
template <class T>
MultivectorX<T> operator+(std::type_identity_t<T> number, const MultivectorX<T>& x) {
  return x + number;
}
template <class T>
MultivectorX<T> operator-(const MultivectorX<T>& x, std::type_identity_t<T> number) {
  return x + (-number);
}
template <class T>
MultivectorX<T> operator-(std::type_identity_t<T> number, const MultivectorX<T>& x) {
  return (-x) + number;
}
template <class T>
MultivectorX<T> operator*(std::type_identity_t<T> factor, const MultivectorX<T>& x) {
  return x * factor;
}
template <class T>
MultivectorX<T> operator/(const MultivectorX<T>& x, std::type_identity_t<T> divisor) {
  return x * (T{1} / divisor);
}

template <class T>
MultivectorX<T> operator*(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return multiply(Product::geometric, a, b);
}
template <class T>
MultivectorX<T> outer(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return multiply(Product::outer, a, b);
}
template <class T>
MultivectorX<T> inner(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return multiply(Product::inner, a, b);
}
template <class T>
MultivectorX<T> left_contraction(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return multiply(Product::left_contraction, a, b);
}
template <class T>
MultivectorX<T> right_contraction(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return multiply(Product::right_contraction, a, b);
}
template <class T>
MultivectorX<T> regressive(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return multiply(Product::regressive, a, b);
}
template <class T>
MultivectorX<T> commutator(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return multiply(Product::commutator, a, b);
}
template <class T>
T scalar_product(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return multiply(Product::scalar, a, b).scalar();
}

template <class T>
MultivectorX<T> operator^(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return outer(a, b);
}
template <class T>
MultivectorX<T> operator|(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return inner(a, b);
}
template <class T>
MultivectorX<T> operator&(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return regressive(a, b);
}
template <class T>
MultivectorX<T> operator<<(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return left_contraction(a, b);
}
template <class T>
MultivectorX<T> operator>>(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  return right_contraction(a, b);
}

template <class T>
MultivectorX<T> reverse(const MultivectorX<T>& x);
template <class T>
MultivectorX<T> operator~(const MultivectorX<T>& x) {
  return reverse(x);
}
template <class T>
MultivectorX<T> grade_involution(const MultivectorX<T>& x);
template <class T>
MultivectorX<T> clifford_conjugate(const MultivectorX<T>& x);
template <class T>
MultivectorX<T> grade(const MultivectorX<T>& x, int k) {
  return x.where([k](Blade blade) { return grade(blade) == k; });
}
template <class T>
MultivectorX<T> right_complement(const MultivectorX<T>& x);
template <class T>
MultivectorX<T> left_complement(const MultivectorX<T>& x);
// The Hodge dual and its inverse; valid for r > 0 too.
template <class T>
MultivectorX<T> dual(const MultivectorX<T>& x);
template <class T>
MultivectorX<T> undual(const MultivectorX<T>& x);

// ---- implementation of the member templates -------------------------------------------------------------

template <class T>
template <class U>
MultivectorX<U> MultivectorX<T>::cast() const {
  std::vector<typename MultivectorX<U>::Term> terms;
  terms.reserve(terms_.size());
  for (const Term& term : terms_) terms.push_back({term.blade, static_cast<U>(term.coefficient)});
  return MultivectorX<U>(algebra_, std::move(terms));
}

template <class T>
template <class Target>
Target MultivectorX<T>::as() const {
  if (algebra_.signature() != Target::kSignature) {
    throw Error("a multivector of " + algebra_.to_string() + " cannot become one of " +
                Algebra(Target::kSignature).to_string());
  }
  Target result;
  for (const Term& term : terms_) {
    if (!Target::kBladeSet.contains(term.blade)) {
      throw Error("the target type does not store the blade " + algebra_.name(term.blade));
    }
    result[blade_position<Target::kSignature, Target::kBladeSet>(term.blade)] =
        static_cast<typename Target::Scalar>(term.coefficient);
  }
  return result;
}

template <class T>
template <class Predicate>
bool MultivectorX<T>::only(Predicate keep) const {
  for (const Term& term : terms_) {
    if (!keep(term.blade)) return false;
  }
  return true;
}

template <class T>
template <class Predicate>
MultivectorX<T> MultivectorX<T>::where(Predicate keep) const {
  MultivectorX part(algebra_);
  for (const Term& term : terms_) {
    if (keep(term.blade)) part.terms_.push_back(term);
  }
  return part;
}

}  // namespace gcan
