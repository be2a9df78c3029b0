#include "gcan/algebra/text.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <sstream>

#include "gcan/algebra/expression.h"
#include "tests/algebra/random.h"

namespace gcan {
namespace text_test {

using Multivec = MultivectorX<double>;
using test::kSignatures;

const Algebra kPga = Algebra::pga3d();

Multivec of(std::initializer_list<std::pair<const char*, double>> terms) {
  Multivec sum(kPga);
  for (const auto& [name, value] : terms) sum = sum + value * Multivec::unit(kPga, name);
  return sum;
}

TEST(Text, PrintsNamedBlades) {
  EXPECT_EQ(to_string(Multivec(kPga)), "0");
  EXPECT_EQ(to_string(of({{"1", 1}})), "1");
  EXPECT_EQ(to_string(of({{"e1", 1}})), "e1");
  EXPECT_EQ(to_string(of({{"1", -1}, {"e01", 2}, {"e31", 0.5}})), "-1 + 2e01 - 0.5e13");
  EXPECT_EQ(to_string(of({{"e12", 1e-17}, {"e123", -1e30}})), "1e-17 e12 - 1e+30 e123");
  EXPECT_EQ(to_string(-0.0 * of({{"e1", 1}})), "0");
}

TEST(Text, RoundsToTheRequestedDigits) {
  const Multivec x = of({{"1", 1.0 / 3}, {"e1", 0.99999}, {"e2", 123456}});
  EXPECT_EQ(to_string(x, 3), "0.333 + e1 + 1.23e+05 e2");
  EXPECT_EQ(to_string(of({{"1", 0.1}}), 17), "0.10000000000000001");
  EXPECT_EQ(to_string(of({{"1", 0.1}}), 1000), "0.10000000000000001");
}

TEST(Text, MatchesStreams) {
  std::ostringstream out;
  out << of({{"1", 2}, {"e0", -3}}) << "; " << KVector<kPga3d, 1, int>({1, 2, 0, -1});
  EXPECT_EQ(out.str(), "2 - 3e0; e0 + 2e1 - e3");
}

TEST(Text, OmitsRoundingErrors) {
  EXPECT_EQ(without_dust(of({{"1", 1}, {"e1", 1e-16}})), of({{"1", 1}}));
  EXPECT_EQ(without_dust(of({{"1", 1e8}, {"e1", -1e-7}})), of({{"1", 1e8}}));
  for (const auto& kept : {of({{"1", 1}, {"e1", 1e-12}}), of({{"1", 1e-20}, {"e1", 1e-21}}),
                           of({{"1", 1e15}, {"e1", 1}}), Multivec(kPga)}) {
    EXPECT_EQ(without_dust(kept), kept);
  }
}

template <class T>
void expect_round_trip(const MultivectorX<T>& x) {
  const std::string text = to_string(x);
  ASSERT_EQ(expression::evaluate(x.algebra(), text).template cast<T>(), x) << text;
}

TEST(RoundTrip, OfRandomMultivectors) {
  test::Random random;
  for (const Signature s : kSignatures) {
    for (int n = 0; n < 50; ++n) {
      expect_round_trip(random.full<double>(Algebra(s)));
      expect_round_trip(random.full<float>(Algebra(s)));
    }
  }
  expect_round_trip(random.full<double>(Algebra(6, 4, 2)));
  expect_round_trip(random.full<double>(Algebra(12)));
}

// Any bits: tiny, huge and denormal numbers in all blades.
TEST(RoundTrip, OfAllFiniteNumbers) {
  test::Random random;
  const Algebra algebra(2, 1, 1);
  const auto bits = [&] { return static_cast<std::uint32_t>(random.integer(0, 0x7fffffff)) << 1; };
  for (int n = 0; n < 500; ++n) {
    std::vector<Multivec::Term> terms;
    std::vector<MultivectorX<float>::Term> float_terms;
    for (const Blade b : algebra.blades()) {
      const auto value = std::bit_cast<double>(std::uint64_t{bits()} << 32 | bits());
      if (std::isfinite(value)) terms.push_back({b, n % 10 == 0 ? value * 1e-310 : value});
      const auto float_value = std::bit_cast<float>(bits());
      if (std::isfinite(float_value)) float_terms.push_back({b, float_value});
    }
    expect_round_trip(Multivec(algebra, terms));
    expect_round_trip(MultivectorX<float>(algebra, float_terms));
  }
  using Limits = std::numeric_limits<double>;
  for (const double value : {Limits::min(), Limits::max(), Limits::denorm_min(), Limits::epsilon()}) {
    expect_round_trip(Multivec(kPga, value));
    expect_round_trip(-value * of({{"e1", 1}, {"e0123", -1}}));
  }
}

TEST(RoundTrip, OfCompileTimeMultivectors) {
  test::Random random;
  using Motor = EvenMultivector<kPga3d, float>;
  const auto x = random.typed<Motor>();
  const auto y = expression::parse<Motor>(to_string(x));
  for (std::size_t i = 0; i < Motor::kSize; ++i) EXPECT_EQ(x[i], y[i]);
}

}  // namespace text_test
}  // namespace gcan
