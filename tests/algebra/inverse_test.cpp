#include "gcan/algebra/inverse.h"

#include "tests/algebra/random.h"

namespace gcan {
namespace inverse_test {

using test::error_of;
using test::near;
using test::Random;
using X = MultivectorX<double>;

TEST(Inverse, OfRandomMultivectorsIsTwoSided) {
  Random random;
  std::vector<Signature> signatures(std::begin(test::kSignatures), std::end(test::kSignatures));
  for (const Signature s : {Signature{1, 0, 0}, Signature{0, 1, 0}, Signature{0, 0, 1}, Signature{1, 1, 2},
                            Signature{2, 1, 3}, Signature{0, 0, 4}, Signature{4, 4, 0}}) {
    signatures.push_back(s);
  }
  for (const Signature s : signatures) {
    const Algebra algebra(s);
    const X one(algebra, 1.0);
    for (int n = 0; n < 10; ++n) {
      X x = random.full(algebra);
      if (std::abs(x.scalar()) < 0.3) x = x + 1.0;
      const X y = inverse(x);
      const double tolerance = 1e-13 * (1 + x.coefficient_norm() * y.coefficient_norm());
      EXPECT_TRUE(near(x * y, one, tolerance)) << algebra.to_string();
      EXPECT_TRUE(near(y * x, one, tolerance)) << algebra.to_string();
    }
  }
}

TEST(Inverse, InTwelveDimensions) {
  Random random;
  const Algebra algebra(6, 4, 2);
  std::vector<Blade> blades = {0};
  for (int i = 0; i < 20; ++i) blades.push_back(static_cast<Blade>(random.integer(1, 4095)));
  const X x = random.of_blades(algebra, blades, 0.2) + 1.0;
  EXPECT_TRUE(near(x * inverse(x), X(algebra, 1.0), 1e-12));
}

TEST(Inverse, OfVersorsIsTheReverseOverTheNorm) {
  Random random;
  for (const Signature s : test::kSignatures) {
    if (s.p + s.q == 0) continue;
    const Algebra algebra(s);
    const X v = random.versor(algebra, 3);
    EXPECT_TRUE(near(inverse(v), ~v / norm_squared(v), 1e-12)) << algebra.to_string();
  }
}

TEST(Inverse, CompileTimeEqualsRunTime) {
  Random random;
  const auto check = [](const auto& x) { EXPECT_TRUE(near(X(inverse(x)), inverse(X(x)), 1e-12)); };
  for (int n = 0; n < 10; ++n) {
    check(random.typed<KVector<Signature{3, 0, 0}, 1>>());
    check(random.typed<EvenMultivector<Signature{3, 0, 0}>>());
    check(random.typed<EvenMultivector<kPga2d>>());
    check(random.typed<EvenMultivector<kPga3d>>());
    check(random.typed<KVector<kPga3d, 1>>());
    check(random.typed<KVector<kPga3d, 2>>());
    check(random.typed<KVector<kPga3d, 3>>());
    check(random.typed<EvenMultivector<Signature{1, 3, 0}>>());
    check(random.typed<FullMultivector<Signature{2, 0, 0}>>());
  }
  static_assert(detail::kHasScalarNorm<Signature{3, 0, 0}, even_blades(Signature{3, 0, 0})>);
  static_assert(detail::kHasStudyNorm<kPga3d, even_blades(kPga3d)>);
}

TEST(Inverse, OfASingularMultivectorIsAnError) {
  const Algebra g1(1);
  EXPECT_EQ(error_of([&] { (void)inverse(X::unit(g1, "e1") + 1.0); }),
            "the multivector 1 + e1 of G(1,0,0) has no inverse: it is singular");
  EXPECT_NE(error_of([] { (void)inverse(X::unit(Algebra::pga3d(), "e01")); }).find("singular"),
            std::string::npos);
  EXPECT_NE(error_of([] { (void)inverse(X(Algebra(3))); }).find("singular"), std::string::npos);
  EXPECT_NE(error_of([] { (void)inverse(blade<kPga3d, "e0">); }).find("singular"), std::string::npos);
  // A null vector of the Minkowski plane.
  const Algebra minkowski(1, 1);
  EXPECT_NE(
      error_of([&] { (void)inverse(X::unit(minkowski, "e1") + X::unit(minkowski, "e2")); }).find("singular"),
      std::string::npos);
}

TEST(Inverse, DividesMultivectors) {
  const auto e12 = blade<Signature{3, 0, 0}, "e12">;
  const auto e1 = blade<Signature{3, 0, 0}, "e1">;
  EXPECT_EQ(to_string(e12 / e1), "-e2");
  const Algebra g3(3);
  EXPECT_TRUE(near(X::unit(g3, "e12") / X::unit(g3, "e1"), -X::unit(g3, "e2"), 1e-15));
}

}  // namespace inverse_test
}  // namespace gcan
