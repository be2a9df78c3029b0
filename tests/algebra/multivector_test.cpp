#include "gcan/algebra/multivector.h"

#include "tests/algebra/random.h"

namespace gcan {
namespace multivector_test {

using test::kRounding;
using test::near;
using test::Random;

template <class C>
class MultivectorLaws : public ::testing::Test {
 public:
  Random random;
  static constexpr double kTolerance = kRounding<typename C::T>;
};
TYPED_TEST_SUITE(MultivectorLaws, test::Cases);

TYPED_TEST(MultivectorLaws, GeometricProductIsAssociativeAndDistributive) {
  using Sample = typename TypeParam::Sample;
  for (int n = 0; n < 20; ++n) {
    const auto a = this->random.template typed<Sample>();
    const auto b = this->random.template typed<Sample>();
    const auto c = this->random.template typed<Sample>();
    EXPECT_TRUE(near((a * b) * c, a * (b * c), this->kTolerance));
    EXPECT_TRUE(near(a * (b + c), a * b + a * c, this->kTolerance));
    EXPECT_TRUE(near((a - b) * c, a * c - b * c, this->kTolerance));
    EXPECT_TRUE(near((a ^ b) ^ c, a ^ (b ^ c), this->kTolerance));
    EXPECT_TRUE(near((a & b) & c, a & (b & c), this->kTolerance));
  }
}

TYPED_TEST(MultivectorLaws, VectorsSquareToNumbersAndAnticommuteUpToThem) {
  using Vector = typename TypeParam::Vector;
  constexpr Signature S = TypeParam::kSignature;
  for (int n = 0; n < 20; ++n) {
    const auto a = this->random.template typed<Vector>();
    const auto b = this->random.template typed<Vector>();
    typename TypeParam::T dot = 0;
    for (std::size_t i = 0; i < Vector::kSize; ++i) {
      dot += static_cast<typename TypeParam::T>(S.metric(static_cast<int>(i))) * a[i] * b[i];
    }
    using Number = Multivector<S, single_blade(0), typename TypeParam::T>;
    EXPECT_TRUE(near(a * b + b * a, Number(2 * dot), this->kTolerance));
    EXPECT_TRUE(near((a | b) + (a ^ b), a * b, this->kTolerance));
  }
}

TYPED_TEST(MultivectorLaws, ContractionIdentities) {
  using Sample = typename TypeParam::Sample;
  for (int n = 0; n < 10; ++n) {
    const auto a = this->random.template typed<Sample>();
    const auto b = this->random.template typed<Sample>();
    const auto c = this->random.template typed<Sample>();
    const auto v = this->random.template typed<typename TypeParam::Vector>();
    // (a ^ b) << c = a << (b << c), and its mirror image; the adjoint of the outer product.
    EXPECT_TRUE(near((a ^ b) << c, a << (b << c), this->kTolerance));
    EXPECT_TRUE(near(c >> (b ^ a), (c >> b) >> a, this->kTolerance));
    EXPECT_NEAR(scalar_product(a ^ b, c), scalar_product(a, b << c), 40 * this->kTolerance);
    // A vector contracts like a graded derivation.
    EXPECT_TRUE(near(v << (a ^ b), ((v << a) ^ b) + (grade_involution(a) ^ (v << b)), this->kTolerance));
    EXPECT_TRUE(near(v * a, (v << a) + (v ^ a), this->kTolerance));
    EXPECT_TRUE(near(reverse(a << b), reverse(b) >> reverse(a), this->kTolerance));
    EXPECT_TRUE(near(2 * commutator(a, b), a * b - b * a, this->kTolerance));
    // Jacobi's identity.
    const auto jacobi =
        commutator(a, commutator(b, c)) + commutator(b, commutator(c, a)) + commutator(c, commutator(a, b));
    EXPECT_TRUE(near(jacobi, Sample(), 30 * this->kTolerance));
  }
}

TYPED_TEST(MultivectorLaws, InvolutionsOfProducts) {
  using Sample = typename TypeParam::Sample;
  const auto a = this->random.template typed<Sample>();
  const auto b = this->random.template typed<Sample>();
  EXPECT_TRUE(near(~(a * b), ~b * ~a, this->kTolerance));
  EXPECT_TRUE(near(grade_involution(a * b), grade_involution(a) * grade_involution(b), this->kTolerance));
  EXPECT_TRUE(
      near(clifford_conjugate(a * b), clifford_conjugate(b) * clifford_conjugate(a), this->kTolerance));
  EXPECT_TRUE(near(clifford_conjugate(a), ~grade_involution(a), 0));
  EXPECT_EQ(~~a, a);
}

TYPED_TEST(MultivectorLaws, DualsRoundTripAndExchangeProducts) {
  using Sample = typename TypeParam::Sample;
  constexpr Signature S = TypeParam::kSignature;
  const auto a = this->random.template typed<Sample>();
  const auto b = this->random.template typed<Sample>();
  EXPECT_EQ(undual(dual(a)), a);
  EXPECT_EQ(dual(undual(a)), a);
  EXPECT_EQ(left_complement(right_complement(a)), a);
  EXPECT_EQ(right_complement(left_complement(a)), a);
  EXPECT_TRUE(near(right_complement(a & b), right_complement(a) ^ right_complement(b), this->kTolerance));
  const Multivector<S, single_blade(S.pseudoscalar()), int> pseudoscalar({1});
  EXPECT_TRUE(near(a & pseudoscalar, a, this->kTolerance));
  if constexpr (S.r == 0) {
    EXPECT_TRUE(near(dual(a), ~a * pseudoscalar, this->kTolerance));
  }
}

TYPED_TEST(MultivectorLaws, CompileTimeEqualsRunTime) {
  using Sample = typename TypeParam::Sample;
  using X = MultivectorX<typename TypeParam::T>;
  const auto a = this->random.template typed<Sample>();
  const auto b = this->random.template typed<Sample>();
  const X x(a);
  const X y(b);
  EXPECT_EQ(x.template as<Sample>(), a);
  EXPECT_TRUE(near(X(a * b), x * y, this->kTolerance));
  EXPECT_TRUE(near(X(a ^ b), x ^ y, this->kTolerance));
  EXPECT_TRUE(near(X(a | b), x | y, this->kTolerance));
  EXPECT_TRUE(near(X(a & b), x & y, this->kTolerance));
  EXPECT_TRUE(near(X(a << b), x << y, this->kTolerance));
  EXPECT_TRUE(near(X(a >> b), x >> y, this->kTolerance));
  EXPECT_TRUE(near(X(commutator(a, b)), commutator(x, y), this->kTolerance));
  EXPECT_NEAR(scalar_product(a, b), scalar_product(x, y), 10 * this->kTolerance);
  EXPECT_EQ(X(~a), ~x);
  EXPECT_EQ(X(grade_involution(a)), grade_involution(x));
  EXPECT_EQ(X(clifford_conjugate(a)), clifford_conjugate(x));
  EXPECT_EQ(X(grade<2>(a)), grade(x, 2));
  EXPECT_EQ(X(dual(a)), dual(x));
  EXPECT_EQ(X(undual(a)), undual(x));
  EXPECT_EQ(X(right_complement(a)), right_complement(x));
  EXPECT_EQ(X(left_complement(a)), left_complement(x));
  EXPECT_NEAR(norm(a), norm(x), 10 * this->kTolerance);
  EXPECT_NEAR(ideal_norm(a), ideal_norm(x), 10 * this->kTolerance);
}

constexpr Signature kG3{3, 0, 0};

TEST(Multivector, ProductsStoreExactlyTheBladesThatCanBeNonZero) {
  constexpr auto e1 = blade<kPga3d, "e1">;
  constexpr auto e01 = blade<kPga3d, "e01">;
  constexpr auto e0 = blade<kPga3d, "e0">;
  static_assert(decltype(e01 * e1)::kBladeSet == single_blade(1));
  static_assert(decltype(e0 * e01)::kSize == 0);
  using Motor = EvenMultivector<kPga3d>;
  static_assert(decltype(Motor() * Motor())::kBladeSet == even_blades(kPga3d));
  static_assert(decltype(KVector<kG3, 1>() ^ KVector<kG3, 1>())::kBladeSet == grade_blades(kG3, 2));
  static_assert(decltype(KVector<kG3, 1>() | KVector<kG3, 2>())::kBladeSet == grade_blades(kG3, 1));
}

TEST(Multivector, AlgebraAtCompileTime) {
  constexpr auto e1 = blade<kG3, "e1">;
  constexpr auto e2 = blade<kG3, "e2">;
  constexpr auto e12 = blade<kG3, "e12">;
  static_assert(e1 * e2 == e12);
  static_assert((e12 * e12)[0] == -1);
  static_assert(blade<kG3, "e21"> == -e12);
  constexpr auto rotor = 0.8 + 0.6 * e12;
  static_assert(decltype(rotor)::kSize == 2);
  static_assert((rotor * ~rotor).coefficient(0) > 0.9999);
}

TEST(Multivector, NamedAccessKnowsTheSignOfTheOrder) {
  Multivector<kG3, grade_blades(kG3, 2), double> b;
  b.set<"e31">(2.0);
  EXPECT_EQ(b.get<"e13">(), -2.0);
  EXPECT_EQ(b.get<"e31">(), 2.0);
  EXPECT_EQ(b.coefficient(0), 0.0);
}

TEST(Multivector, MixesNumbersOfDifferentTypes) {
  const auto e1 = blade<kG3, "e1">;
  static_assert(std::is_same_v<decltype(0.5f * e1)::Scalar, float>);
  static_assert(std::is_same_v<decltype(0.5 * e1)::Scalar, double>);
  static_assert(std::is_same_v<decltype(e1 / 2)::Scalar, double>);
  EXPECT_EQ((e1 / 2)[0], 0.5);
  const auto sum = 1.5 + e1 - 0.5f;
  EXPECT_EQ(sum.get<"1">(), 1.0);
  EXPECT_EQ(sum.get<"e1">(), 1.0);
  EXPECT_EQ((2 - e1).get<"1">(), 2);
}

TEST(Multivector, CompoundAssignmentAndConversionToMoreBlades) {
  FullMultivector<kG3> x = 2.0;
  x += blade<kG3, "e1">;
  x -= 3 * blade<kG3, "e123">;
  x *= 2;
  x /= 4;
  EXPECT_EQ(to_string(x), "1 + 0.5e1 - 1.5e123");
}

}  // namespace multivector_test
}  // namespace gcan
