#pragma once

// Random inputs and comparisons shared by the tests of gcan/algebra: seeded, so that a failure repeats.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gcan/algebra/exponential.h"
#include "gcan/algebra/text.h"

namespace gcan::test {

// The signatures over which the laws are tested: Euclidean, negative, Minkowski, projective, conformal,
// Grassmann and split ones.
inline constexpr Signature kSignatures[] = {{2, 0, 0}, {3, 0, 0}, {0, 2, 0}, {1, 3, 0}, {2, 0, 1},
                                            {3, 0, 1}, {4, 1, 0}, {0, 0, 2}, {3, 3, 0}};

template <Signature S, class U>
struct Case {
  static constexpr Signature kSignature = S;
  using T = U;
  using Vector = KVector<S, 1, U>;
  // All blades; in five and more dimensions those of the grades 0 to 2, to spare the compiler.
  static constexpr BladeSet kBlades =
      blades_where(S, [](Blade b) { return S.dimension() < 5 || grade(b) <= 2; });
  using Sample = Multivector<S, kBlades, U>;
};
using Cases = ::testing::Types<
    Case<Signature{2, 0, 0}, float>, Case<Signature{2, 0, 0}, double>, Case<Signature{3, 0, 0}, float>,
    Case<Signature{3, 0, 0}, double>, Case<Signature{0, 2, 0}, float>, Case<Signature{0, 2, 0}, double>,
    Case<Signature{1, 3, 0}, float>, Case<Signature{1, 3, 0}, double>, Case<Signature{2, 0, 1}, float>,
    Case<Signature{2, 0, 1}, double>, Case<Signature{3, 0, 1}, float>, Case<Signature{3, 0, 1}, double>,
    Case<Signature{4, 1, 0}, float>, Case<Signature{4, 1, 0}, double>, Case<Signature{0, 0, 2}, float>,
    Case<Signature{0, 0, 2}, double>, Case<Signature{3, 3, 0}, float>, Case<Signature{3, 3, 0}, double>>;

class Random {
 public:
  explicit Random(unsigned seed = 1) : engine_(seed) {}

  double number(double low = -1, double high = 1) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }

  template <class M>
  M typed() {
    M x;
    for (std::size_t i = 0; i < M::kSize; ++i) x[i] = static_cast<typename M::Scalar>(number());
    return x;
  }
  template <class T = double>
  MultivectorX<T> of_blades(const Algebra& algebra, const std::vector<Blade>& blades, double size = 1) {
    std::vector<typename MultivectorX<T>::Term> terms;
    for (const Blade b : blades) terms.push_back({b, static_cast<T>(number(-size, size))});
    return MultivectorX<T>(algebra, std::move(terms));
  }
  template <class T = double>
  MultivectorX<T> full(const Algebra& algebra) {
    return of_blades<T>(algebra, algebra.blades());
  }
  // A product of `count` vectors none of which is close to null.
  MultivectorX<double> versor(const Algebra& algebra, int count) {
    MultivectorX<double> product(algebra, 1.0);
    for (int i = 0; i < count; ++i) {
      auto v = of_blades(algebra, algebra.blades(1));
      while (std::abs(norm_squared(v)) < 0.2) v = of_blades(algebra, algebra.blades(1));
      product = product * v;
    }
    return product;
  }

 private:
  std::mt19937 engine_;
};

// |a - b| is at most `tolerance` times the size of the operands.
template <class T>
::testing::AssertionResult near(const MultivectorX<T>& a, const MultivectorX<T>& b, double tolerance) {
  const double error = static_cast<double>((a - b).coefficient_norm());
  const double size = 1 + static_cast<double>(a.coefficient_norm());
  if (error <= tolerance * size) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << to_string(a, 8) << "\n  differs from\n"
                                       << to_string(b, 8) << "\n  by " << error;
}
template <Signature S, BladeSet A, class T, BladeSet B>
::testing::AssertionResult near(const Multivector<S, A, T>& a, const Multivector<S, B, T>& b,
                                double tolerance) {
  return near(MultivectorX<T>(a), MultivectorX<T>(b), tolerance);
}

template <class T>
inline constexpr double kRounding = std::is_same_v<T, float> ? 2e-5 : 1e-13;

// The message of the gcan::Error that `call` throws; a test failure if it throws none.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no gcan::Error was thrown";
  return "";
}

}  // namespace gcan::test
