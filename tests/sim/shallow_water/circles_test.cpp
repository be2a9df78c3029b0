#include "gcan/sim/shallow_water/circles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <type_traits>

#include "gcan/base/random.h"

namespace gcan::sim::shallow_water {
namespace circles_test {

template <typename T>
class Circles : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Circles, Scalars);

template <typename T>
T tolerance() {
  return std::is_same_v<T, float> ? T(2e-5) : T(2e-13);
}

// Value on the circle of hemisphere (+1 north, -1 south), lane and longitude by the definition.
template <typename T>
double brute_force(const Array<T>& fourier, int orders, int n, int lane, int sign, int longitude) {
  double sum = 0;
  for (int m = 0; m < orders; ++m) {
    const auto at = static_cast<std::size_t>(m * 4 * kLine<T> + lane);
    const std::complex<double> even(fourier[at], fourier[at + kLine<T>]);
    const std::complex<double> odd(fourier[at + 2 * kLine<T>], fourier[at + 3 * kLine<T>]);
    const auto wave = std::polar(1.0, 2 * std::numbers::pi * m * longitude / n);
    sum += (m == 0 ? 1 : 2) * ((even + static_cast<double>(sign) * odd) * wave).real();
  }
  return sum;
}

TYPED_TEST(Circles, MatchTheirDefinitionAndInverse) {
  using T = TypeParam;
  base::Random random(3, 0);
  for (const int n : {4, 6, 8, 10, 12, 20, 22, 30, 48, 60, 64, 90, 96, 98, 150, 192, 194}) {
    const int orders = (n + 2) / 3;
    const FftPlan<T> plan(n);
    Array<T> fourier(static_cast<std::size_t>(orders * 4 * kLine<T>));
    for (std::size_t i = 0; i < fourier.size(); ++i) {
      const std::size_t line = i / kLine<T>;
      fourier[i] = line == 1 || line == 3 ? T(0) : static_cast<T>(random.normal());  // order 0 is real
    }
    Array<T> rows(static_cast<std::size_t>(n * 2 * kLine<T>));
    circles_to_grid(plan, orders, fourier.data(), rows.data());
    for (const int lane : {0, 1, kLine<T> - 1}) {
      for (int i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i * 2 * kLine<T> + lane);
        EXPECT_NEAR(rows[at], brute_force(fourier, orders, n, lane, 1, i),
                    tolerance<T>() * static_cast<T>(orders))
            << n;
        EXPECT_NEAR(rows[at + kLine<T>], brute_force(fourier, orders, n, lane, -1, i),
                    tolerance<T>() * static_cast<T>(orders))
            << n;
      }
    }
    Array<T> back(fourier.size());
    grid_to_circles(plan, orders, rows.data(), back.data());
    // Without normalisation: n for the sum over the circle, 2 for the undone halving, 2 for north + south.
    for (std::size_t i = 0; i < fourier.size(); ++i)
      EXPECT_NEAR(back[i] / static_cast<T>(4 * n), fourier[i], tolerance<T>()) << n;
  }
}

}  // namespace circles_test
}  // namespace gcan::sim::shallow_water
