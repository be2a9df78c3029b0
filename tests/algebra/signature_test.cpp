#include "gcan/algebra/signature.h"

#include "gcan/algebra/algebra.h"
#include "tests/algebra/random.h"

namespace gcan {
namespace signature_test {

using test::error_of;
using test::kSignatures;

// The definition, step by step: write both blades as lists of basis vectors, bubble-sort with a sign change
// per swap, cancel equal neighbours by the metric.
SignedBlade by_sorting(Signature s, Blade a, Blade b) {
  std::vector<int> list;
  for (const Blade blade : {a, b}) {
    for (int i = 0; i < s.dimension(); ++i) {
      if ((blade >> i & 1) != 0) list.push_back(i);
    }
  }
  int sign = 1;
  for (std::size_t round = 0; round < list.size(); ++round) {
    for (std::size_t i = 0; i + 1 < list.size(); ++i) {
      if (list[i] > list[i + 1]) {
        std::swap(list[i], list[i + 1]);
        sign = -sign;
      }
    }
  }
  Blade result = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i + 1 < list.size() && list[i] == list[i + 1]) {
      sign *= s.metric(list[i]);
      ++i;
    } else {
      result |= Blade{1} << list[i];
    }
  }
  return sign == 0 ? SignedBlade{} : SignedBlade{result, sign};
}

TEST(Signature, GeometricProductOfBladesIsSortingAndCancelling) {
  for (const Signature s : kSignatures) {
    for (Blade a = 0; a < s.blade_count(); ++a) {
      for (Blade b = 0; b < s.blade_count(); ++b) ASSERT_EQ(geometric(s, a, b), by_sorting(s, a, b));
    }
  }
}

TEST(Signature, GeometricProductInTwelveDimensions) {
  const Signature s{5, 4, 3};
  test::Random random;
  for (int n = 0; n < 20000; ++n) {
    const auto a = static_cast<Blade>(random.integer(0, 4095));
    const auto b = static_cast<Blade>(random.integer(0, 4095));
    ASSERT_EQ(geometric(s, a, b), by_sorting(s, a, b));
  }
}

// The other products are the part of the geometric product with the grade that defines them.
TEST(Signature, OtherProductsAreGradePartsOfTheGeometricOne) {
  for (const Signature s : kSignatures) {
    for (Blade a = 0; a < s.blade_count(); ++a) {
      for (Blade b = 0; b < s.blade_count(); ++b) {
        const SignedBlade ab = geometric(s, a, b);
        const SignedBlade ba = geometric(s, b, a);
        const int j = grade(a);
        const int k = grade(b);
        const auto part = [&](int wanted) {
          return ab.sign != 0 && grade(ab.blade) == wanted ? ab : SignedBlade{};
        };
        ASSERT_EQ(multiply(Product::outer, s, a, b), part(j + k));
        ASSERT_EQ(multiply(Product::left_contraction, s, a, b), part(k - j));
        ASSERT_EQ(multiply(Product::right_contraction, s, a, b), part(j - k));
        ASSERT_EQ(multiply(Product::inner, s, a, b), part(std::abs(j - k)));
        ASSERT_EQ(multiply(Product::scalar, s, a, b), part(0));
        ASSERT_EQ(multiply(Product::commutator, s, a, b), ab.sign == -ba.sign ? ab : SignedBlade{});
      }
    }
  }
}

TEST(Signature, ComplementsAndDuals) {
  for (const Signature s : kSignatures) {
    for (Blade b = 0; b < s.blade_count(); ++b) {
      const SignedBlade right = right_complement(s, b);
      const SignedBlade with_right = multiply(Product::outer, s, b, right.blade);
      EXPECT_EQ(with_right.blade, s.pseudoscalar());
      EXPECT_EQ(with_right.sign * right.sign, 1);
      const SignedBlade left = left_complement(s, b);
      EXPECT_EQ(multiply(Product::outer, s, left.blade, b).sign * left.sign, 1);
      const SignedBlade dual = hodge_dual(s, b);
      const SignedBlade back = hodge_undual(s, dual.blade);
      EXPECT_EQ(back.blade, b);
      EXPECT_EQ(back.sign * dual.sign, 1);
      // Without null vectors the Hodge dual is ~b times the pseudoscalar.
      if (s.r == 0) {
        const SignedBlade product = geometric(s, b, s.pseudoscalar());
        EXPECT_EQ(dual, (SignedBlade{product.blade, product.sign * reverse_sign(b)}));
      }
    }
  }
}

TEST(Signature, ReversalReversesTheFactors) {
  const Signature s{3, 3, 0};
  for (Blade blade = 0; blade < s.blade_count(); ++blade) {
    SignedBlade product{0, 1};
    for (int i = s.dimension() - 1; i >= 0; --i) {
      if ((blade >> i & 1) == 0) continue;
      const SignedBlade next = geometric(s, product.blade, Blade{1} << i);
      product = {next.blade, product.sign * next.sign};
    }
    EXPECT_EQ(product.sign, reverse_sign(blade));
    EXPECT_EQ(conjugation_sign(blade), reverse_sign(blade) * involution_sign(blade));
  }
}

TEST(Algebra, BladesAreOrderedByGradeThenLexicographically) {
  std::string names;
  const Algebra pga = Algebra::pga3d();
  for (const Blade b : pga.blades()) names += pga.name(b) + " ";
  EXPECT_EQ(names, "1 e0 e1 e2 e3 e01 e02 e03 e12 e13 e23 e012 e013 e023 e123 e0123 ");
  EXPECT_EQ(Algebra(2).name(3), "e12");
  EXPECT_EQ(Algebra(12).name(Algebra(12).pseudoscalar()), "e123456789abc");
  names.clear();
  for (const Blade b : pga.points()) names += pga.name(b) + " ";
  EXPECT_EQ(names, "e012 e013 e023 ");
}

TEST(Algebra, NamesRoundTripInAnyOrderOfTheIndices) {
  const Algebra pga = Algebra::pga3d();
  for (const Blade b : pga.blades()) EXPECT_EQ(pga.blade(pga.name(b)), (SignedBlade{b, 1}));
  EXPECT_EQ(pga.blade("e31"), (SignedBlade{pga.blade("e13").blade, -1}));
  EXPECT_EQ(pga.blade("e231"), (SignedBlade{pga.blade("e123").blade, 1}));
  EXPECT_EQ(pga.blade("e3210"), (SignedBlade{pga.pseudoscalar(), 1}));
}

TEST(Algebra, ErrorsNameBadNamesAndSignatures) {
  const Algebra g3(3);
  EXPECT_EQ(error_of([&] { (void)g3.blade("e14"); }),
            "G(3,0,0) has no basis vector e4, found in 'e14': its basis vectors are e1 to e3");
  EXPECT_NE(error_of([&] { (void)g3.blade("e0"); }).find("no basis vector e0"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)g3.blade("e121"); }).find("index 1 occurs twice in 'e121'"),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)g3.blade("f1"); }).find("'f1' is not the name of a blade"),
            std::string::npos);
  EXPECT_NE(error_of([] { Algebra(7, 6, 0); }).find("at most 12"), std::string::npos);
  EXPECT_NE(error_of([] { Algebra(-1, 0, 0); }).find("at least 0"), std::string::npos);
  EXPECT_NE(error_of([] { Algebra(2147483647, 2147483647, 2); }).find("at most 12"), std::string::npos);
  for (const char* text :
       {"", "3", "3,0,1,2", "3;0;1", "a,b", "3,0,", "G(3,0,1", "99999999999,0,0", "3,0,1x"}) {
    EXPECT_NE(error_of([&] { (void)Algebra::parse(text); }), "") << text;
  }
  EXPECT_EQ(Algebra::parse("3,0,1"), Algebra::pga3d());
  EXPECT_EQ(Algebra::parse("G(3, 0, 1)"), Algebra::pga3d());
  EXPECT_EQ(Algebra::parse("1,3"), Algebra(1, 3));
}

TEST(Algebra, ProductTableOnlyHasNonZeroEntries) {
  const Algebra pga = Algebra::pga3d();
  const auto blades = pga.blades();
  const auto table = pga.product_table(Product::geometric, blades, blades);
  EXPECT_EQ(table.size(), 192u);  // 16 x 16 without the quarter in which e0 meets e0
  for (const auto& entry : table) {
    EXPECT_EQ(entry.result, geometric(pga.signature(), blades[entry.left], blades[entry.right]));
  }
}

}  // namespace signature_test
}  // namespace gcan
