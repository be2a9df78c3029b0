#include "gcan/algebra/inverse.h"

#include <complex>
#include <limits>

#include "gcan/algebra/text.h"

namespace gcan {
namespace {

using Complex = std::complex<double>;
using Multivec = MultivectorX<double>;

// A basis blade of G(p,q,0) as a matrix: i^phase X^flip Z^sign, a tensor product of Pauli matrices (the
// Jordan-Wigner representation). Its entry in column c is in row c ^ flip, with the sign (-1)^|c & sign|.
struct PauliString {
  std::uint32_t flip = 0;
  std::uint32_t sign = 0;
  int phase = 0;

  [[nodiscard]] Complex entry(std::uint32_t column) const {
    static constexpr double kReal[] = {1, 0, -1, 0};
    static constexpr double kImaginary[] = {0, 1, 0, -1};
    const int quarter = (phase + 2 * (std::popcount(column & sign) & 1)) & 3;
    return {kReal[quarter], kImaginary[quarter]};
  }
};

PauliString operator*(const PauliString& a, const PauliString& b) {
  return {a.flip ^ b.flip, a.sign ^ b.sign, (a.phase + b.phase + 2 * std::popcount(a.sign & b.flip)) & 3};
}

// The j-th generator: Z on the qubits before j / 2, then X or Y = iXZ; times i where it squares to -1.
PauliString generator(int j, bool negative) {
  const std::uint32_t qubit = std::uint32_t{1} << (j / 2);
  const bool is_y = is_odd(j);
  return {qubit, (qubit - 1) | (is_y ? qubit : 0), (is_y ? 1 : 0) + (negative ? 1 : 0)};
}

PauliString pauli_string(const Signature& s, Blade blade) {
  PauliString product;
  for (int i = s.r; i < s.dimension(); ++i) {
    if ((blade >> i & 1) != 0) product = product * generator(i - s.r, s.metric(i) < 0);
  }
  return product;
}

// Inverts a row-major complex matrix in place (Gauss-Jordan, row pivoting); false when it is singular to
// working precision.
bool invert(std::vector<Complex>& a, std::size_t n) {
  double scale = 0;
  for (const Complex& value : a) scale = std::max(scale, std::abs(value));
  const double smallest = scale * static_cast<double>(n) * 8 * std::numeric_limits<double>::epsilon();
  std::vector<std::size_t> pivots(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    }
    if (!(std::abs(a[best * n + k]) > smallest)) return false;
    pivots[k] = best;
    for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[best * n + j]);
    const Complex pivot = 1.0 / a[k * n + k];
    a[k * n + k] = 1;
    for (std::size_t j = 0; j < n; ++j) a[k * n + j] *= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Complex factor = a[i * n + k];
      a[i * n + k] = 0;
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t i = 0; i < n; ++i) std::swap(a[i * n + k], a[i * n + pivots[k]]);
  }
  return true;
}

// The inverse of a multivector without null vectors in its blades.
Multivec inverse_without_null(const Multivec& x, const Multivec& whole) {
  const Signature s = x.algebra().signature();
  const std::size_t size = std::size_t{1} << ((s.p + s.q + 1) / 2);
  std::vector<Complex> matrix(size * size);
  for (const auto& term : x.terms()) {
    const PauliString string = pauli_string(s, term.blade);
    for (std::uint32_t c = 0; c < size; ++c)
      matrix[(c ^ string.flip) * size + c] += term.coefficient * string.entry(c);
  }
  if (!invert(matrix, size)) detail::throw_singular(whole);
  // The representing matrices are unitary and orthogonal under the trace: a coefficient is a trace.
  std::vector<Multivec::Term> terms;
  for (Blade blade = 0; blade < s.blade_count(); blade += s.null_vectors() + 1) {
    const PauliString string = pauli_string(s, blade);
    double trace = 0;
    for (std::uint32_t c = 0; c < size; ++c) {
      trace += (std::conj(string.entry(c)) * matrix[(c ^ string.flip) * size + c]).real();
    }
    terms.push_back({blade, trace / static_cast<double>(size)});
  }
  // Removes rounding errors from blades whose true coefficient is zero.
  double largest = 0;
  for (const auto& term : terms) largest = std::max(largest, std::abs(term.coefficient));
  const double dust = 2 * std::numeric_limits<double>::epsilon() * largest;
  std::erase_if(terms, [dust](const Multivec::Term& term) { return std::abs(term.coefficient) <= dust; });
  return {x.algebra(), std::move(terms)};
}

}  // namespace

void detail::throw_singular(const Multivec& x) {
  throw Error("the multivector " + to_string(x) + " of " + x.algebra().to_string() +
              " has no inverse: it is singular");
}

template <class T>
MultivectorX<T> inverse(const MultivectorX<T>& x_in) {
  const Multivec x = x_in.template cast<double>();
  const Signature s = x.algebra().signature();
  Multivec y = inverse_without_null(x.where([&](Blade b) { return (b & s.null_vectors()) == 0; }), x);
  // x y - 1 consists of blades with null vectors. Each Newton step doubles the least number of them, and
  // there are only r: a few steps are exact.
  for (int least = 1; least <= s.r; least *= 2) y = y * (2.0 - x * y);
  return y.template cast<T>();
}

template MultivectorX<float> inverse(const MultivectorX<float>&);
template MultivectorX<double> inverse(const MultivectorX<double>&);

}  // namespace gcan
