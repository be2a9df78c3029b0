#include "gcan/algebra/multivector_array.h"

#include "tests/algebra/random.h"

namespace gcan {
namespace multivector_array_test {

using test::error_of;
using test::near;
using test::Random;

template <class M>
std::vector<M> random_values(Random& random, std::size_t n) {
  std::vector<M> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(random.typed<M>());
  return values;
}

template <class T>
void check_products(std::size_t n) {
  using Full = FullMultivector<Signature{3, 0, 1}, T>;
  using Motor = EvenMultivector<kPga3d, T>;
  Random random;
  const auto a = random_values<Full>(random, n);
  const auto b = random_values<Motor>(random, n);
  const MultivectorArray<Full> x{std::span<const Full>(a)};
  const MultivectorArray<Motor> y{std::span<const Motor>(b)};
  const auto z = map([](const auto& p, const auto& m) { return m * p * ~m + 0.5f * grade<1>(p); }, x, y);
  ASSERT_EQ(z.size(), n);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(x.get(i), a[i]);
    EXPECT_TRUE(near(z.get(i), b[i] * a[i] * ~b[i] + T(0.5) * grade<1>(a[i]), test::kRounding<T>));
  }
}

TEST(MultivectorArray, MapsLikeASingleMultivector) {
  for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 100u}) {
    check_products<float>(n);
    check_products<double>(n);
  }
}

TEST(MultivectorArray, MapsIntoItself) {
  using Rotor = EvenMultivector<Signature{3, 0, 0}>;
  Random random;
  const auto values = random_values<Rotor>(random, 21);
  MultivectorArray<Rotor> x{std::span<const Rotor>(values)};
  map_into(
      x, [](const auto& r) { return r * r; }, x);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(near(x.get(i), values[i] * values[i], 1e-14));
}

TEST(MultivectorArray, DifferentSizesAreAnError) {
  using Rotor = EvenMultivector<Signature{3, 0, 0}>;
  const MultivectorArray<Rotor> a(3);
  const MultivectorArray<Rotor> b(4);
  EXPECT_NE(
      error_of([&] { (void)map([](const auto& x, const auto& y) { return x * y; }, a, b); }).find("4 and 3"),
      std::string::npos);
}

}  // namespace multivector_array_test
}  // namespace gcan
