#include "gcan/algebra/multivector_x.h"

#include <algorithm>
#include <cmath>

namespace gcan {
namespace {

template <class T>
using Terms = std::vector<typename MultivectorX<T>::Term>;

void require_same(const Algebra& a, const Algebra& b) {
  if (a == b) return;
  throw Error("a multivector of " + a.to_string() + " cannot be combined with one of " + b.to_string());
}

template <class T, class Map>
MultivectorX<T> map_blades(const MultivectorX<T>& x, Map map) {
  Terms<T> terms = x.terms();
  for (auto& term : terms) {
    const SignedBlade image = map(term.blade);
    term = {image.blade, image.sign > 0 ? term.coefficient : -term.coefficient};
  }
  return MultivectorX<T>(x.algebra(), std::move(terms));
}

}  // namespace

template <class T>
MultivectorX<T>::MultivectorX(const Algebra& algebra, std::vector<Term> terms)
    : algebra_(algebra), terms_(std::move(terms)) {
  const auto less = [](const Term& a, const Term& b) { return canonical_less(a.blade, b.blade); };
  std::stable_sort(terms_.begin(), terms_.end(), less);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms_.size();) {
    Term sum = terms_[i];
    if (sum.blade >= algebra.signature().blade_count()) {
      throw Error("blade number " + std::to_string(sum.blade) + " is outside " + algebra.to_string());
    }
    for (++i; i < terms_.size() && terms_[i].blade == sum.blade; ++i)
      sum.coefficient += terms_[i].coefficient;
    if (sum.coefficient != T{0}) terms_[kept++] = sum;
  }
  terms_.resize(kept);
}

template <class T>
MultivectorX<T> MultivectorX<T>::unit(const Algebra& algebra, std::string_view name) {
  const SignedBlade value = algebra.blade(name);
  return MultivectorX(algebra, {{value.blade, static_cast<T>(value.sign)}});
}

template <class T>
T MultivectorX<T>::coefficient(Blade blade) const {
  const auto at = std::lower_bound(terms_.begin(), terms_.end(), blade,
                                   [](const Term& term, Blade b) { return canonical_less(term.blade, b); });
  return at != terms_.end() && at->blade == blade ? at->coefficient : T{0};
}

template <class T>
T MultivectorX<T>::coefficient_norm() const {
  T sum = 0;
  for (const Term& term : terms_) sum += term.coefficient * term.coefficient;
  return std::sqrt(sum);
}

template <class T>
MultivectorX<T> multiply(Product product, const MultivectorX<T>& a, const MultivectorX<T>& b) {
  require_same(a.algebra(), b.algebra());
  const Signature s = a.algebra().signature();
  // One slot per blade: sums keep the order of the terms and need no search.
  std::vector<T> sums(s.blade_count());
  for (const auto& x : a.terms()) {
    for (const auto& y : b.terms()) {
      const SignedBlade xy = multiply(product, s, x.blade, y.blade);
      if (xy.sign != 0) sums[xy.blade] += (xy.sign > 0 ? x.coefficient : -x.coefficient) * y.coefficient;
    }
  }
  Terms<T> terms;
  for (Blade blade = 0; blade < s.blade_count(); ++blade) {
    if (sums[blade] != T{0}) terms.push_back({blade, sums[blade]});
  }
  return MultivectorX<T>(a.algebra(), std::move(terms));
}

template <class T>
MultivectorX<T> operator+(const MultivectorX<T>& a, const MultivectorX<T>& b) {
  require_same(a.algebra(), b.algebra());
  Terms<T> terms = a.terms();
  terms.insert(terms.end(), b.terms().begin(), b.terms().end());
  return MultivectorX<T>(a.algebra(), std::move(terms));
}

template <class T>
MultivectorX<T> operator-(const MultivectorX<T>& x) {
  return map_blades(x, [](Blade b) { return SignedBlade{b, -1}; });
}

template <class T>
MultivectorX<T> operator*(const MultivectorX<T>& x, std::type_identity_t<T> factor) {
  Terms<T> terms = x.terms();
  for (auto& term : terms) term.coefficient *= factor;
  return MultivectorX<T>(x.algebra(), std::move(terms));
}

template <class T>
MultivectorX<T> reverse(const MultivectorX<T>& x) {
  return map_blades(x, [](Blade b) { return SignedBlade{b, reverse_sign(b)}; });
}

template <class T>
MultivectorX<T> grade_involution(const MultivectorX<T>& x) {
  return map_blades(x, [](Blade b) { return SignedBlade{b, involution_sign(b)}; });
}

template <class T>
MultivectorX<T> clifford_conjugate(const MultivectorX<T>& x) {
  return map_blades(x, [](Blade b) { return SignedBlade{b, conjugation_sign(b)}; });
}

template <class T>
MultivectorX<T> right_complement(const MultivectorX<T>& x) {
  return map_blades(x, [&](Blade b) { return right_complement(x.algebra().signature(), b); });
}

template <class T>
MultivectorX<T> left_complement(const MultivectorX<T>& x) {
  return map_blades(x, [&](Blade b) { return left_complement(x.algebra().signature(), b); });
}

template <class T>
MultivectorX<T> dual(const MultivectorX<T>& x) {
  return map_blades(x, [&](Blade b) { return hodge_dual(x.algebra().signature(), b); });
}

template <class T>
MultivectorX<T> undual(const MultivectorX<T>& x) {
  return map_blades(x, [&](Blade b) { return hodge_undual(x.algebra().signature(), b); });
}

#define GCAN_INSTANTIATE(T)                                                                   \
  template class MultivectorX<T>;                                                             \
  template MultivectorX<T> multiply(Product, const MultivectorX<T>&, const MultivectorX<T>&); \
  template MultivectorX<T> operator+(const MultivectorX<T>&, const MultivectorX<T>&);         \
  template MultivectorX<T> operator-(const MultivectorX<T>&);                                 \
  template MultivectorX<T> operator*<T>(const MultivectorX<T>&, std::type_identity_t<T>);     \
  template MultivectorX<T> reverse(const MultivectorX<T>&);                                   \
  template MultivectorX<T> grade_involution(const MultivectorX<T>&);                          \
  template MultivectorX<T> clifford_conjugate(const MultivectorX<T>&);                        \
  template MultivectorX<T> right_complement(const MultivectorX<T>&);                          \
  template MultivectorX<T> left_complement(const MultivectorX<T>&);                           \
  template MultivectorX<T> dual(const MultivectorX<T>&);                                      \
  template MultivectorX<T> undual(const MultivectorX<T>&);

GCAN_INSTANTIATE(float)
GCAN_INSTANTIATE(double)
#undef GCAN_INSTANTIATE

}  // namespace gcan
