#include "gcan/algebra/versor.h"

#include "tests/algebra/random.h"

namespace gcan {
namespace versor_test {

using test::error_of;
using test::near;
using test::Random;
using X = MultivectorX<double>;

std::vector<Algebra> algebras_with_versors() {
  std::vector<Algebra> algebras;
  for (const Signature s : test::kSignatures) {
    if (s.p + s.q > 0) algebras.emplace_back(s);
  }
  algebras.emplace_back(2, 1, 2);
  algebras.emplace_back(6);
  return algebras;
}

TEST(Versor, NormalizedVersorsHaveUnitSquareAndTheSameAction) {
  Random random;
  for (const Algebra& algebra : algebras_with_versors()) {
    for (int count = 1; count <= 5; ++count) {
      const X v = random.versor(algebra, count);
      const X unit = normalized(v);
      const X square = ~unit * unit;
      EXPECT_NEAR(std::abs(square.scalar()), 1, 1e-12);
      EXPECT_TRUE(near(square, X(algebra, square.scalar()), 1e-12)) << algebra.to_string();
      const X x = random.full(algebra);
      EXPECT_TRUE(near(sandwich(unit, x), sandwich(v, x), 1e-10));
    }
  }
}

// A motor times a Study number is not a unit motor, and normalising removes the Study number.
TEST(Versor, StudyNormalisationOfMotors) {
  Random random;
  const Algebra pga = Algebra::pga3d();
  for (int n = 0; n < 10; ++n) {
    const X v = normalized(random.versor(pga, 4));
    const X study = X(pga, random.number(0.5, 2)) + random.number() * X::unit(pga, "e0123");
    EXPECT_TRUE(near(normalized(v * study), v, 1e-13));
    const auto typed = (v * study).as<EvenMultivector<kPga3d>>();
    EXPECT_TRUE(near(X(normalized(typed)), v, 1e-13));
  }
}

TEST(Versor, NormalisingNullElementsAndNonVersorsIsAnError) {
  EXPECT_NE(error_of([] { (void)normalized(X::unit(Algebra::pga3d(), "e01")); }).find("norm is 0"),
            std::string::npos);
  EXPECT_NE(error_of([] { (void)normalized(blade<kPga3d, "e01">); }).find("norm is 0"), std::string::npos);
  const Algebra g4(4);
  EXPECT_NE(error_of([&] {
              (void)normalized(X::unit(g4, "e12") + X::unit(g4, "e34") + X(g4, 0.0));
            }).find("versor"),
            std::string::npos);
}

TEST(Versor, ActionKeepsProductsNormsAndGrades) {
  Random random;
  for (const Algebra& algebra : algebras_with_versors()) {
    for (int count = 1; count <= 4; ++count) {
      const X v = random.versor(algebra, count);
      const X a = random.of_blades(algebra, algebra.blades(1));
      const X b = random.full(algebra);
      EXPECT_NEAR(norm_squared(sandwich(v, a)), norm_squared(a), 1e-10) << algebra.to_string();
      EXPECT_TRUE(near(sandwich(v, a ^ b), sandwich(v, a) ^ sandwich(v, b), 1e-10)) << algebra.to_string();
      EXPECT_TRUE(near(sandwich(v, a << b), sandwich(v, a) << sandwich(v, b), 1e-10)) << algebra.to_string();
      // Even versors keep the geometric product; odd ones keep it too with the sign per grade.
      EXPECT_TRUE(near(sandwich(v, a * b), sandwich(v, a) * sandwich(v, b), 1e-10)) << algebra.to_string();
      for (int k = 0; k <= algebra.dimension(); ++k) {
        const X x = random.of_blades(algebra, algebra.blades(k));
        const double sign = is_odd(count) && is_odd(k) ? -1 : 1;
        const X raw = sign * (v * x * inverse(v));
        EXPECT_LE((raw - grade(raw, k)).coefficient_norm(), 1e-10 * (1 + raw.coefficient_norm()));
        EXPECT_TRUE(near(sandwich(v, x), raw, 1e-10));
      }
    }
  }
}

TEST(Versor, ActionIsAGroupAction) {
  Random random;
  for (const Algebra& algebra : algebras_with_versors()) {
    const X u = random.versor(algebra, 2);
    const X v = random.versor(algebra, 3);
    const X x = random.full(algebra);
    EXPECT_TRUE(near(sandwich(u, sandwich(v, x)), sandwich(u * v, x), 1e-10)) << algebra.to_string();
  }
}

TEST(Versor, ReflectingAVectorInItselfNegatesIt) {
  const Algebra g3(3);
  const X e1 = X::unit(g3, "e1");
  EXPECT_EQ(sandwich(e1, e1), -e1);
  EXPECT_EQ(sandwich(e1, X::unit(g3, "e2")), X::unit(g3, "e2"));
}

TEST(Versor, CompileTimeSandwichEqualsRunTime) {
  Random random;
  const auto motor = random.typed<EvenMultivector<kPga3d>>();
  const auto plane = random.typed<KVector<kPga3d, 1>>();
  const auto line = random.typed<KVector<kPga3d, 2>>();
  const auto point = random.typed<KVector<kPga3d, 3>>();
  const auto versor = normalized(motor);
  EXPECT_TRUE(near(X(sandwich(versor, point)), sandwich(X(versor), X(point)), 1e-12));
  EXPECT_TRUE(near(X(sandwich(versor, line)), sandwich(X(versor), X(line)), 1e-12));
  EXPECT_TRUE(near(X(sandwich(plane, point)), sandwich(X(plane), X(point)), 1e-12));
  EXPECT_TRUE(near(X(sandwich(plane, plane)), -X(plane), 1e-12));
  static_assert(decltype(sandwich(versor, blade<kPga3d, "e012">))::kBladeSet == grade_blades(kPga3d, 3));
}

TEST(Versor, OutermorphismMatricesActLikeTheVersor) {
  Random random;
  for (const Algebra& algebra : algebras_with_versors()) {
    for (int count = 1; count <= 3; ++count) {
      const X v = random.versor(algebra, count);
      const Outermorphism map = Outermorphism::of(v);
      const X x = random.full(algebra);
      EXPECT_TRUE(near(map(x), sandwich(v, x), 1e-9)) << algebra.to_string();
      for (int k = 0; k <= algebra.dimension(); ++k) {
        const auto blades = algebra.blades(k);
        const auto matrix = map.matrix(k);
        const X y = sandwich(v, grade(x, k));
        for (std::size_t i = 0; i < blades.size(); ++i) {
          double sum = 0;
          for (std::size_t j = 0; j < blades.size(); ++j)
            sum += matrix[i * blades.size() + j] * x.coefficient(blades[j]);
          EXPECT_NEAR(sum, y.coefficient(blades[i]), 1e-9 * (1 + y.coefficient_norm()));
        }
      }
      // The determinant of a reflection is -1.
      EXPECT_NEAR(map.matrix(algebra.dimension())[0], is_odd(count) ? -1 : 1, 1e-9);
    }
  }
}

TEST(Versor, FromItsMatrixAndBack) {
  Random random;
  for (const Algebra& algebra : algebras_with_versors()) {
    if (algebra.signature().r > 1) continue;  // null bivectors do not act on vectors
    for (int count = 0; count <= algebra.dimension() + 1; ++count) {
      const X v = count == 0 ? X(algebra, 1.0) : normalized(random.versor(algebra, count));
      const X back = Outermorphism(algebra, Outermorphism::of(v).matrix(1)).versor();
      const double sign = scalar_product(~v, back) * scalar_product(~v, v) < 0 ? -1 : 1;
      EXPECT_TRUE(near(sign * back, v, 1e-8)) << algebra.to_string() << " " << count;
    }
  }
  EXPECT_NE(error_of([] {
              (void)Outermorphism(Algebra(2), {1, 1, 0, 1}).versor();
            }).find("does not preserve the metric"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              (void)Outermorphism(Algebra(2), {1, 1, 0});
            }).find("4 entries, not 3"),
            std::string::npos);
}

TEST(Versor, FactorsIntoReflections) {
  Random random;
  for (const Algebra& algebra : algebras_with_versors()) {
    if (algebra.signature().r > 1) continue;
    for (int count = 1; count <= 6; ++count) {
      const X v = random.versor(algebra, count);
      const auto vectors = reflections(v);
      X product(algebra, 1.0);
      for (const X& factor : vectors) {
        EXPECT_TRUE(factor.only([](Blade b) { return grade(b) == 1; }));
        product = product * factor;
      }
      EXPECT_TRUE(near(product, v, 1e-8)) << algebra.to_string();
      EXPECT_EQ(vectors.size() % 2, static_cast<std::size_t>(count % 2));
      if (algebra.signature().q == 0 && algebra.signature().r == 0) {
        EXPECT_LE(vectors.size(), static_cast<std::size_t>(algebra.dimension()));
      }
    }
  }
}

TEST(Versor, CompileTimeVersorsFactorToo) {
  Random random;
  const auto versor = normalized(random.typed<EvenMultivector<kPga3d>>());
  FullMultivector<kPga3d> product = 1.0;
  for (const auto& v : reflections(versor)) product = product * v;
  EXPECT_TRUE(near(product, versor, 1e-9));
  EXPECT_EQ(Outermorphism::of(versor).matrix(3), Outermorphism::of(X(versor)).matrix(3));
}

TEST(Versor, ReflectionsOfSpecialVersors) {
  const Algebra pga = Algebra::pga3d();
  // A translation is two parallel reflections, a screw motion four.
  EXPECT_EQ(reflections(X(pga, 1.0) - 0.5 * X::unit(pga, "e01")).size(), 2u);
  const X screw = (X(pga, 1.0) + X::unit(pga, "e12")) * (X(pga, 1.0) + X::unit(pga, "e03"));
  EXPECT_EQ(reflections(screw).size(), 4u);
  EXPECT_TRUE(reflections(X(pga, 3.0)).empty());
  EXPECT_EQ(reflections(X::unit(Algebra(3), "e123")).size(), 3u);
  EXPECT_NE(error_of([] { (void)reflections(X::unit(Algebra(4), "e12") + X::unit(Algebra(4), "e34")); }), "");
  EXPECT_NE(error_of([] { (void)reflections(X::unit(Algebra(3), "e1") + 1.0); }), "");
}

}  // namespace versor_test
}  // namespace gcan
