#include "gcan/algebra/exponential.h"

#include "tests/algebra/random.h"

namespace gcan {
namespace exponential_test {

using std::numbers::pi;
using test::error_of;
using test::near;
using test::Random;
using X = MultivectorX<double>;

// The definition, without scaling tricks.
X exp_by_series(const X& x) {
  X sum(x.algebra(), 1.0);
  X term = sum;
  for (int n = 1; n < 60; ++n) {
    term = term * x / n;
    sum = sum + term;
  }
  return sum;
}

std::vector<Algebra> algebras() {
  std::vector<Algebra> list(std::begin(test::kSignatures), std::end(test::kSignatures));
  list.emplace_back(4);
  list.emplace_back(6);
  list.emplace_back(7, 0, 1);
  list.emplace_back(2, 2);
  list.emplace_back(1, 1, 2);
  list.emplace_back(0, 3, 1);
  return list;
}

TEST(Exponential, IsItsSeries) {
  Random random;
  for (const Algebra& algebra : algebras()) {
    const X bivector = random.of_blades(algebra, algebra.blades(2), 1.5);
    EXPECT_TRUE(near(exp(bivector), exp_by_series(bivector), 1e-12)) << algebra.to_string();
  }
  const X any = random.full(Algebra::pga3d());
  EXPECT_TRUE(near(exp(any), exp_by_series(any), 1e-12));
}

TEST(Exponential, OfBivectorsAreUnitVersors) {
  Random random;
  for (const Algebra& algebra : algebras()) {
    const X v = exp(random.of_blades(algebra, algebra.blades(2), 3));
    EXPECT_TRUE(near(v * ~v, X(algebra, 1.0), 1e-11 * (1 + v.coefficient_norm() * v.coefficient_norm())))
        << algebra.to_string();
  }
}

TEST(Logarithm, ExpOfLogIsTheVersor) {
  Random random;
  for (const Algebra& algebra : algebras()) {
    for (int n = 0; n < 20; ++n) {
      // Up to full turns in several planes at once, including boosts and translations; boosts grow
      // exponentially, so they are smaller in mixed metrics.
      const bool mixed = algebra.signature().p > 0 && algebra.signature().q > 0;
      const X v = exp(random.of_blades(algebra, algebra.blades(2), n % 2 == 0 ? 0.7 : mixed ? 1.5 : 3.0));
      const X b = log(v);
      EXPECT_TRUE(b.only([](Blade x) { return grade(x) == 2 || grade(x) == 0; })) << algebra.to_string();
      EXPECT_TRUE(near(exp(b), v, 1e-9 * (1 + v.coefficient_norm())))
          << algebra.to_string() << " log " << to_string(b, 5);
    }
  }
}

TEST(Logarithm, LogOfExpIsTheBivectorWhileTheAnglesAreSmall) {
  Random random;
  for (const Algebra& algebra : algebras()) {
    for (const double size : {1e-12, 1e-6, 1e-3, 0.3}) {
      const X b = random.of_blades(algebra, algebra.blades(2), size);
      const X error = log(exp(b)) - b;
      EXPECT_LE(error.coefficient_norm(), 2e-14) << algebra.to_string() << " " << size;
    }
  }
}

TEST(Logarithm, OfNonUnitVersorsHasTheirSize) {
  Random random;
  for (const Algebra& algebra : {Algebra(3), Algebra::pga3d(), Algebra(4, 1)}) {
    const X v = 3.0 * exp(random.of_blades(algebra, algebra.blades(2), 0.5));
    EXPECT_NEAR(log(v).scalar(), std::log(3.0), 1e-12);
    EXPECT_TRUE(near(exp(log(v)), v, 1e-11));
  }
  const Algebra pga = Algebra::pga3d();
  const X study = X(pga, 2.0) + X::unit(pga, "e0123");
  EXPECT_TRUE(near(exp(log(study)), study, 1e-13));
}

X bivector(const Algebra& algebra, std::initializer_list<std::pair<const char*, double>> parts) {
  X sum(algebra);
  for (const auto& [name, value] : parts) sum = sum + value * X::unit(algebra, name);
  return sum;
}

TEST(Logarithm, AtZeroHalfTurnsAndFullTurns) {
  const Algebra g3(3);
  EXPECT_TRUE(log(X(g3, 1.0)).is_zero());
  EXPECT_EQ(exp(X(g3)), X(g3, 1.0));
  EXPECT_TRUE(near(log(X::unit(g3, "e12")), bivector(g3, {{"e12", pi / 2}}), 1e-15));
  EXPECT_TRUE(near(exp(log(X(g3, -1.0))), X(g3, -1.0), 1e-15));
  // Half turns in two planes at once, where the planes are not unique.
  for (const Algebra& algebra : {Algebra(4), Algebra(4, 1), Algebra(6), Algebra(4, 0, 1), Algebra(0, 4)}) {
    const X e = X::unit(algebra, algebra.signature().r == 0 ? "e1234" : "e1234");
    EXPECT_TRUE(near(exp(log(e)), e, 1e-13)) << algebra.to_string();
    EXPECT_TRUE(near(exp(log(-e)), -e, 1e-13)) << algebra.to_string();
  }
  // Close to half turns: the branch is correct on both sides.
  const Algebra g6(6);
  for (const double gap : {1e-3, 1e-7, 1e-9, 1e-12, 1e-15}) {
    for (const double sign : {-1.0, 1.0}) {
      const X b = bivector(g6, {{"e12", pi / 2 + sign * gap}, {"e34", pi / 2 - 3 * gap}, {"e56", 0.3}});
      const X v = exp(b);
      EXPECT_TRUE(near(exp(log(v)), v, 1e-12)) << gap;
    }
  }
  // Equal angles in several planes.
  const X isoclinic = exp(bivector(g6, {{"e12", 1.1}, {"e34", 1.1}, {"e56", 1.1}}));
  EXPECT_TRUE(near(log(isoclinic), bivector(g6, {{"e12", 1.1}, {"e34", 1.1}, {"e56", 1.1}}), 1e-12));
}

TEST(Logarithm, OfBoostsAndNullRotations) {
  const Algebra minkowski(1, 3);
  const X boost = bivector(minkowski, {{"e12", 2.0}});
  EXPECT_TRUE(near(log(exp(boost)), boost, 1e-13));
  const X null = bivector(minkowski, {{"e12", 1.0}, {"e23", 1.0}});
  EXPECT_NEAR(scalar_product(null, null), 0, 1e-15);
  EXPECT_TRUE(near(exp(null), 1.0 + null, 1e-15));
  EXPECT_TRUE(near(log(exp(null)), null, 1e-13));
  const X mixed = bivector(minkowski, {{"e12", 1.5}, {"e34", 1.2}});
  EXPECT_TRUE(near(log(exp(mixed)), mixed, 1e-12));
  // Minus a boost is a boost with a full turn around it.
  EXPECT_TRUE(near(exp(log(-exp(boost))), -exp(boost), 1e-11));
  // Minus a null rotation is not an exponential: no rotation plane commutes with it.
  EXPECT_NE(error_of([&] { (void)log(-exp(null)); }).find("not the exponential"), std::string::npos);
}

TEST(Logarithm, OfMotorsAtTheEdges) {
  const Algebra pga = Algebra::pga3d();
  const X translation = bivector(pga, {{"e01", 2.0}, {"e03", -1.0}});
  EXPECT_EQ(exp(translation), 1.0 + translation);
  EXPECT_TRUE(near(log(1.0 + translation), translation, 1e-15));
  // A full turn with a translation: the axis must be parallel to the translation.
  const X m = -(1.0 + translation);
  EXPECT_TRUE(near(exp(log(m)), m, 1e-12));
  // In the plane no axis does.
  const Algebra plane = Algebra::pga2d();
  EXPECT_NE(error_of([&] { (void)log(-(1.0 + X::unit(plane, "e01"))); }).find("not the exponential"),
            std::string::npos);
}

TEST(Logarithm, ThrowsIfThereIsNone) {
  const Algebra g11(1, 1);
  EXPECT_NE(error_of([&] { (void)log(X(g11, -1.0)); }).find("no logarithm"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)log(X::unit(g11, "e12")); }).find("no logarithm"), std::string::npos);
  EXPECT_NE(error_of([] { (void)log(X::unit(Algebra(3), "e1")); }).find("odd grades"), std::string::npos);
  EXPECT_NE(error_of([] { (void)log(X(Algebra(3))); }).find("no logarithm"), std::string::npos);
  EXPECT_NE(error_of([] { (void)log(X::unit(Algebra::pga3d(), "e01")); }).find("no logarithm"),
            std::string::npos);
  EXPECT_NE(error_of([] { (void)exp(X(Algebra(3), 1e6)); }).find("overflows"), std::string::npos);
}

TEST(SquareRoot, SquaredIsTheVersor) {
  Random random;
  for (const Algebra& algebra : algebras()) {
    for (int n = 0; n < 10; ++n) {
      const X v = 2.0 * exp(random.of_blades(algebra, algebra.blades(2), 1.5));
      const X root = sqrt(v);
      EXPECT_TRUE(near(root * root, v, 1e-9 * (1 + v.coefficient_norm()))) << algebra.to_string();
    }
  }
}

TEST(SquareRoot, OfBladesNumbersAndOtherMultivectors) {
  Random random;
  const Algebra g3(3);
  EXPECT_TRUE(near(sqrt(X(g3, 4.0)), X(g3, 2.0), 1e-15));
  const X half = sqrt(X::unit(g3, "e12"));
  EXPECT_TRUE(near(half, (1.0 + X::unit(g3, "e12")) / std::sqrt(2.0), 1e-15));
  EXPECT_TRUE(sqrt(X(g3)).is_zero());
  // Not a versor: odd and even grades, near 1.
  const X any = 1.0 + 0.2 * random.full(g3);
  EXPECT_TRUE(near(sqrt(any) * sqrt(any), any, 1e-12));
  // A bivector that is not simple.
  const Algebra g4(4);
  const X b = X::unit(g4, "e12") + 0.5 * X::unit(g4, "e34");
  EXPECT_TRUE(near(sqrt(b) * sqrt(b), b, 1e-12));
  EXPECT_NE(error_of([] { (void)sqrt(X::unit(Algebra::pga3d(), "e01")); }).find("no square root"),
            std::string::npos);
  EXPECT_NE(error_of([] { (void)sqrt(X(Algebra(1, 0), -1.0)); }), "");
}

// ---- compile time --------------------------------------------------------------------------------------

template <Signature S, class T>
void check_typed() {
  Random random(7);
  const double tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-12;
  for (const double size : {0.0, 1e-9, 1e-5, 1e-3, 0.05, 0.5, 1.4}) {
    for (int n = 0; n < 10; ++n) {
      const auto b = random.typed<KVector<S, 2, T>>() * static_cast<T>(size);
      const auto v = exp(b);
      EXPECT_TRUE(near(MultivectorX<T>(v), exp(MultivectorX<T>(b)), tolerance));
      const auto back = log(v);
      EXPECT_TRUE(near(exp(back), v, tolerance)) << size;
      // For larger angles the logarithm may have other planes with smaller angles.
      if (size < 1) {
        EXPECT_TRUE(near(back, b, tolerance)) << size;
      }
      const auto root = sqrt(v);
      EXPECT_TRUE(near(root * root, v, tolerance));
    }
  }
}

TEST(CompileTimeExponential, EqualsTheRunTimeOneAndInverts) {
  check_typed<Signature{2, 0, 0}, double>();
  check_typed<Signature{3, 0, 0}, double>();
  check_typed<Signature{3, 0, 0}, float>();
  check_typed<Signature{0, 2, 0}, double>();
  check_typed<kPga2d, double>();
  check_typed<kPga2d, float>();
  check_typed<kPga3d, double>();
  check_typed<kPga3d, float>();
  check_typed<Signature{1, 1, 0}, double>();
  check_typed<Signature{0, 0, 2}, double>();
  check_typed<Signature{2, 1, 0}, double>();
  check_typed<Signature{4, 0, 0}, double>();
}

TEST(CompileTimeExponential, LongTurnsAndFullTurns) {
  Random random;
  for (int n = 0; n < 50; ++n) {
    const auto v = exp(random.typed<KVector<kPga3d, 2>>() * 4.0);
    EXPECT_TRUE(near(exp(log(v)), v, 1e-12));
  }
  const EvenMultivector<kPga3d> minus = -1.0;
  EXPECT_TRUE(near(exp(log(minus)), minus, 1e-15));
  const EvenMultivector<kPga3d> shifted = -1.0 + 2.0 * blade<kPga3d, "e01">;
  EXPECT_TRUE(near(exp(log(shifted)), shifted, 1e-14));
}

}  // namespace exponential_test
}  // namespace gcan
