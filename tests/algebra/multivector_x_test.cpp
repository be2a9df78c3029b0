#include "gcan/algebra/multivector_x.h"

#include "tests/algebra/random.h"

namespace gcan {
namespace multivector_x_test {

using test::error_of;
using test::near;
using test::Random;

TEST(MultivectorX, TermsAreSortedSummedAndNeverZero) {
  const Algebra g3(3);
  const MultivectorX<double> x(g3, {{6, 1.0}, {0, 2.0}, {3, 0.0}, {6, 2.0}, {1, 1.0}, {1, -1.0}});
  ASSERT_EQ(x.terms().size(), 2u);
  EXPECT_EQ(x.terms()[0], (MultivectorX<double>::Term{0, 2.0}));
  EXPECT_EQ(x.terms()[1], (MultivectorX<double>::Term{6, 3.0}));
  EXPECT_EQ(x.coefficient(6), 3.0);
  EXPECT_EQ(x.coefficient(7), 0.0);
  EXPECT_TRUE((x - x).is_zero());
}

TEST(MultivectorX, LawsHoldInTwelveDimensions) {
  Random random;
  const Algebra big(5, 4, 3);
  const auto sparse = [&] {
    std::vector<Blade> blades;
    for (int i = 0; i < 12; ++i) blades.push_back(static_cast<Blade>(random.integer(0, 4095)));
    return random.of_blades(big, blades);
  };
  for (int n = 0; n < 5; ++n) {
    const auto a = sparse();
    const auto b = sparse();
    const auto c = sparse();
    EXPECT_TRUE(near((a * b) * c, a * (b * c), 1e-13));
    EXPECT_TRUE(near(~(a * b), ~b * ~a, 1e-14));
    EXPECT_EQ(undual(dual(a)), a);
    EXPECT_TRUE(near((a ^ b) << c, a << (b << c), 1e-13));
  }
}

TEST(MultivectorX, MixingAlgebrasIsAnErrorThatNamesThem) {
  const MultivectorX<double> a(Algebra(3), 1.0);
  const MultivectorX<double> b(Algebra::pga3d(), 1.0);
  for (const auto& message : {error_of([&] { (void)(a * b); }), error_of([&] { (void)(a + b); })}) {
    EXPECT_EQ(message, "a multivector of G(3,0,0) cannot be combined with one of G(3,0,1)");
  }
}

TEST(MultivectorX, ConversionToATypeThatLacksABladeIsAnError) {
  const auto x = MultivectorX<double>::unit(Algebra(3), "e12") + 1.0;
  using Vector = KVector<Signature{3, 0, 0}, 1>;
  using Plane = KVector<kPga3d, 1>;
  EXPECT_NE(error_of([&] { (void)x.as<Vector>(); }).find("does not store"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)x.as<Plane>(); }).find("of G(3,0,0) cannot become one of G(3,0,1)"),
            std::string::npos);
}

TEST(MultivectorX, BladesOutsideTheAlgebraAreAnError) {
  EXPECT_NE(error_of([] {
              MultivectorX<double>(Algebra(3), {{8, 1.0}});
            }).find("outside G(3,0,0)"),
            std::string::npos);
}

TEST(MultivectorX, FloatAndDoubleAgree) {
  Random random;
  const Algebra pga = Algebra::pga3d();
  const auto a = random.full(pga);
  const auto b = random.full(pga);
  EXPECT_TRUE(near((a.cast<float>() * b.cast<float>()).cast<double>(), a * b, 1e-6));
}

}  // namespace multivector_x_test
}  // namespace gcan
