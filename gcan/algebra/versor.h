#pragma once

// Versors: products of vectors, the elements of Pin(p,q,r) up to scale. Normalisation, action, matrices and
// factorisation into reflections, for compile-time and run-time multivectors.

#include <vector>

#include "gcan/algebra/inverse.h"

namespace gcan {

// x (~x x)^(-1/2): the versor with ~x x = 1, or -1 if the metric gives a negative square. In projective
// algebras this also removes the part of ~x x at infinity. Throws Error for null elements and for
// multivectors that are not versors.
template <class T>
MultivectorX<T> normalized(const MultivectorX<T>& x);

// The action of an even or odd versor: (-1)^(kl) v x v^-1 on each l-vector, k = 1 for odd versors.
template <class T>
MultivectorX<T> sandwich(const MultivectorX<T>& versor, const MultivectorX<T>& x);

// A linear map of vectors, extended to all multivectors by f(a ^ b) = f(a) ^ f(b).
class Outermorphism {
 public:
  // From the images of the basis vectors, each of grade 1.
  explicit Outermorphism(std::vector<MultivectorX<double>> images);
  // From an n x n matrix, row-major: column j is the image of the j-th basis vector.
  Outermorphism(const Algebra& algebra, const std::vector<double>& matrix);
  // The map x -> sandwich(versor, x).
  static Outermorphism of(const MultivectorX<double>& versor);
  template <Signature S, BladeSet B, class T>
  static Outermorphism of(const Multivector<S, B, T>& versor) {
    return of(MultivectorX<double>(versor));
  }

  [[nodiscard]] const Algebra& algebra() const { return images_.front().algebra(); }
  MultivectorX<double> operator()(const MultivectorX<double>& x) const;
  // The matrix on the k-vectors, row-major over algebra().blades(k). The pseudoscalar's is the determinant.
  [[nodiscard]] std::vector<double> matrix(int k) const;
  // A versor that acts as this map, unique up to sign; Error if the map does not preserve the metric.
  [[nodiscard]] MultivectorX<double> versor() const;

 private:
  [[nodiscard]] MultivectorX<double> image(Blade blade) const;
  std::vector<MultivectorX<double>> images_;
};

// Vectors v1, ..., vk with versor = v1 v2 ... vk (Cartan-Dieudonne), at most n in Euclidean spaces. The first
// vector carries the norm; a scalar has no vectors. Error if the argument is not a versor.
std::vector<MultivectorX<double>> reflections(const MultivectorX<double>& versor);

// ---- compile-time versions --------------------------------------------------------------------------------

template <Signature S, BladeSet B, class T>
auto normalized(const Multivector<S, B, T>& x) {
  using U = Floating<T>;
  if constexpr (detail::kHasScalarNorm<S, B> || detail::kHasStudyNorm<S, B>) {
    const auto square = detail::self_product(Multivector<S, B, U>(x));
    const U s = std::abs(square[0]);
    if (!(s > U{0})) {
      throw Error("a multivector whose norm is 0 cannot be normalised: it is null or at infinity");
    }
    const U factor = 1 / std::sqrt(s);
    if constexpr (detail::kHasScalarNorm<S, B>) {
      return Multivector<S, B, U>(x * factor);
    } else {
      // (s + t J)^(-1/2) = s^(-1/2) (1 - t / (2 s) J), as J J = 0.
      const Multivector<S, single_blade(S.pseudoscalar()), U> half({square[1] / (2 * square[0])});
      return Multivector<S, B | kProductBlades<Product::geometric, S, B, single_blade(S.pseudoscalar())>, U>(
          (x - x * half) * factor);
    }
  } else {
    return normalized(MultivectorX<U>(x)).template as<Multivector<S, B, U>>();
  }
}

template <Signature S, BladeSet V, class T, BladeSet B, class U>
auto sandwich(const Multivector<S, V, T>& versor, const Multivector<S, B, U>& x) {
  constexpr bool even = even_blades(S).contains(V);
  static_assert(even || (even_blades(S) & V).empty(), "a versor is either even or odd");
  // The action preserves grades, so the result has the grades of x.
  constexpr BladeSet target =
      blades_where(S, [](Blade b) { return !(B & grade_blades(S, grade(b))).empty(); });
  using W = Floating<Promoted<T, U>>;
  const auto left = versor * (even ? x : grade_involution(x));
  return detail::restricted<target, W>(multiply_onto<Product::geometric, target>(left, inverse(versor)));
}

template <Signature S, BladeSet B, class T>
auto reflections(const Multivector<S, B, T>& versor) {
  std::vector<KVector<S, 1, Floating<T>>> vectors;
  for (const auto& v : reflections(MultivectorX<double>(versor))) {
    vectors.push_back(v.template as<KVector<S, 1, Floating<T>>>());
  }
  return vectors;
}

}  // namespace gcan
