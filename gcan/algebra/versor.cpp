#include "gcan/algebra/versor.h"

#include <algorithm>
#include <limits>

#include "gcan/algebra/text.h"

namespace gcan {
namespace {

using Multivec = MultivectorX<double>;

Error not_a_versor(const Multivec& x) {
  return Error("the multivector " + to_string(x, 6) + " of " + x.algebra().to_string() +
               " is not a versor: it is not a product of invertible vectors");
}

bool is_even(const Multivec& versor) {
  if (versor.only([](Blade b) { return !is_odd(grade(b)); })) return true;
  if (versor.only([](Blade b) { return is_odd(grade(b)); })) return false;
  throw Error("the multivector " + to_string(versor, 6) + " of " + versor.algebra().to_string() +
              " is not a versor: it has even and odd grades");
}

Multivec basis_vector(const Algebra& algebra, int i) { return {algebra, {{Blade{1} << i, 1.0}}}; }

// Vectors of the algebra that are not null: the only ones that can be reflected in.
std::vector<Multivec> non_null_basis(const Algebra& algebra) {
  std::vector<Multivec> basis;
  for (int i = algebra.signature().r; i < algebra.dimension(); ++i) basis.push_back(basis_vector(algebra, i));
  return basis;
}

}  // namespace

template <class T>
MultivectorX<T> normalized(const MultivectorX<T>& x_in) {
  const Multivec x = x_in.template cast<double>();
  const Multivec square = (~x * x).where([](Blade b) { return reverse_sign(b) > 0; });
  const double s = square.scalar();
  const double size = x.coefficient_norm();
  if (!(std::abs(s) > 1e-14 * size * size)) {
    throw Error("the multivector " + to_string(x, 6) + " of " + x.algebra().to_string() +
                " cannot be normalised: its norm is 0, it is null or at infinity");
  }
  // Newton's iteration for (1 + d)^(-1/2): exact after a few steps where d is nilpotent.
  const Multivec one_plus_d = square / s;
  Multivec root(x.algebra(), 1.0);
  for (int step = 0;; ++step) {
    const Multivec error = one_plus_d * root * root - 1.0;
    if (error.coefficient_norm() <= 4 * std::numeric_limits<double>::epsilon()) break;
    if (step == 40 || !(error.coefficient_norm() < 1e3)) throw not_a_versor(x);
    root = root - 0.5 * (root * error);
    if (step > 6 && error.coefficient_norm() < 1e-13) break;
  }
  return (x * root / std::sqrt(std::abs(s))).template cast<T>();
}

template <class T>
MultivectorX<T> sandwich(const MultivectorX<T>& versor, const MultivectorX<T>& x) {
  const bool even = is_even(versor.template cast<double>());
  std::vector<bool> grades(static_cast<std::size_t>(x.algebra().dimension()) + 1);
  for (const auto& term : x.terms()) grades[static_cast<std::size_t>(grade(term.blade))] = true;
  // For versors the other grades are rounding errors.
  return (versor * (even ? x : grade_involution(x)) * inverse(versor)).where([&](Blade b) {
    return grades[static_cast<std::size_t>(grade(b))];
  });
}

template MultivectorX<float> normalized(const MultivectorX<float>&);
template MultivectorX<double> normalized(const MultivectorX<double>&);
template MultivectorX<float> sandwich(const MultivectorX<float>&, const MultivectorX<float>&);
template MultivectorX<double> sandwich(const MultivectorX<double>&, const MultivectorX<double>&);

Outermorphism::Outermorphism(std::vector<Multivec> images) : images_(std::move(images)) {
  if (images_.empty()) throw Error("an outermorphism needs an algebra of at least one dimension");
  if (images_.size() != static_cast<std::size_t>(algebra().dimension())) {
    throw Error("an outermorphism of " + algebra().to_string() + " needs " +
                std::to_string(algebra().dimension()) + " images of basis vectors, not " +
                std::to_string(images_.size()));
  }
  for (const Multivec& image : images_) {
    if (!image.only([](Blade b) { return grade(b) == 1; })) {
      throw Error("the image " + to_string(image, 6) + " of a basis vector is not a vector");
    }
  }
}

Outermorphism::Outermorphism(const Algebra& algebra, const std::vector<double>& matrix) {
  const auto n = static_cast<std::size_t>(algebra.dimension());
  if (n == 0 || matrix.size() != n * n) {
    throw Error("a matrix for " + algebra.to_string() + " needs " + std::to_string(n * n) + " entries, not " +
                std::to_string(matrix.size()));
  }
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<Multivec::Term> terms;
    for (std::size_t i = 0; i < n; ++i) terms.push_back({Blade{1} << i, matrix[i * n + j]});
    images_.emplace_back(algebra, std::move(terms));
  }
}

Outermorphism Outermorphism::of(const Multivec& versor) {
  std::vector<Multivec> images;
  const Multivec inverse_versor = inverse(versor);
  const double sign = is_even(versor) ? 1 : -1;
  const double scale = versor.coefficient_norm() * inverse_versor.coefficient_norm();
  for (int i = 0; i < versor.algebra().dimension(); ++i) {
    const Multivec image = sign * (versor * basis_vector(versor.algebra(), i) * inverse_versor);
    const Multivec rest = image.where([](Blade b) { return grade(b) != 1; });
    if (!(rest.coefficient_norm() <= 1e-6 * scale)) throw not_a_versor(versor);
    images.push_back(grade(image, 1));
  }
  return Outermorphism(std::move(images));
}

Multivec Outermorphism::image(Blade blade) const {
  Multivec product(algebra(), 1.0);
  for (int i = 0; i < algebra().dimension(); ++i) {
    if ((blade >> i & 1) != 0) product = product ^ images_[static_cast<std::size_t>(i)];
  }
  return product;
}

Multivec Outermorphism::operator()(const Multivec& x) const {
  Multivec sum(algebra());
  for (const auto& term : x.terms()) sum = sum + term.coefficient * image(term.blade);
  return sum;
}

std::vector<double> Outermorphism::matrix(int k) const {
  const std::vector<Blade> blades = algebra().blades(k);
  std::vector<double> entries(blades.size() * blades.size());
  for (std::size_t j = 0; j < blades.size(); ++j) {
    const Multivec column = image(blades[j]);
    for (std::size_t i = 0; i < blades.size(); ++i)
      entries[i * blades.size() + j] = column.coefficient(blades[i]);
  }
  return entries;
}

namespace {

// The rest of a map of vectors after dividing by reflections: the images of the non-null basis vectors that
// it may still move.
struct Remainder {
  std::vector<Multivec> basis;
  std::vector<Multivec> images;
  std::vector<Multivec> vectors;  // reflections so far

  void reflect(const Multivec& v) {
    vectors.push_back(v);
    const Multivec v_inverse = inverse(v);
    for (Multivec& image : images) image = grade(-(v * image * v_inverse), 1);
  }
  // The basis vector whose image differs from it most, by the metric and then by size.
  [[nodiscard]] std::size_t most_moved() const {
    const auto rank = [&](std::size_t i) {
      const Multivec d = images[i] - basis[i];
      return std::pair(std::abs(norm_squared(d)), d.coefficient_norm());
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < basis.size(); ++i) {
      if (rank(i) > rank(best)) best = i;
    }
    return best;
  }
};

// Vectors whose product acts on the non-null basis vectors as the given images say, if any does.
//
// The reflection in d = f(x) - x takes f(x) to x, and leaves alone every y that f fixes, as y.d = y.f(x) -
// y.x = f(y).f(x) - y.x = 0. Where d is null, s = f(x) + x is not (d d + s s = 4 x x): reflecting in s takes
// f(x) to -x, and reflecting in x takes that to x. Either way one basis vector is done.
std::vector<Multivec> reflections_of_map(const Algebra& algebra, std::vector<Multivec> images) {
  Remainder rest{non_null_basis(algebra), std::move(images), {}};
  double size = 1;
  for (const Multivec& image : rest.images) size = std::max(size, image.coefficient_norm());
  while (!rest.basis.empty()) {
    const std::size_t i = rest.most_moved();
    const Multivec x = rest.basis[i];
    const Multivec sum = rest.images[i] + x;
    const Multivec d = rest.images[i] - x;
    rest.basis.erase(rest.basis.begin() + static_cast<std::ptrdiff_t>(i));
    rest.images.erase(rest.images.begin() + static_cast<std::ptrdiff_t>(i));
    if (d.coefficient_norm() < 1e-11 * size) continue;
    if (std::abs(norm_squared(d)) > 1e-9 * d.coefficient_norm() * d.coefficient_norm()) {
      rest.reflect(d);
    } else {
      rest.reflect(sum);
      rest.reflect(x);
    }
  }
  return rest.vectors;
}

Multivec product(const Algebra& algebra, const std::vector<Multivec>& vectors) {
  Multivec result(algebra, 1.0);
  for (const Multivec& v : vectors) result = result * v;
  return result;
}

}  // namespace

Multivec Outermorphism::versor() const {
  const Signature s = algebra().signature();
  std::vector<Multivec> images(images_.begin() + s.r, images_.end());
  const Multivec result = product(algebra(), reflections_of_map(algebra(), images));
  Multivec unit = result.only([](Blade b) { return b == 0; }) ? Multivec(algebra(), 1.0) : normalized(result);
  const Outermorphism back = of(unit);
  for (std::size_t i = 0; i < images_.size(); ++i) {
    const double scale = 1 + images_[i].coefficient_norm();
    if (!((back.images_[i] - images_[i]).coefficient_norm() <= 1e-8 * scale)) {
      throw Error("the matrix does not preserve the metric of " + algebra().to_string() +
                  ": no versor has this action");
    }
  }
  return unit;
}

std::vector<Multivec> reflections(const Multivec& versor) {
  const Algebra& algebra = versor.algebra();
  if (versor.only([](Blade b) { return b == 0; })) return {};
  const Outermorphism map = Outermorphism::of(versor);
  std::vector<Multivec> images;
  for (const Multivec& v : non_null_basis(algebra)) images.push_back(map(v));
  std::vector<Multivec> vectors = reflections_of_map(algebra, std::move(images));
  if (vectors.empty()) throw not_a_versor(versor);
  // The rest is a scalar, which moves no vector.
  const Multivec rest = versor * inverse(product(algebra, vectors));
  const double scale = rest.scalar();
  if (!((rest - scale).coefficient_norm() <= 1e-8 * std::abs(scale))) throw not_a_versor(versor);
  vectors.front() = scale * vectors.front();
  return vectors;
}

}  // namespace gcan
