#include "gcan/sim/shallow_water/legendre.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace gcan::sim::shallow_water {
namespace legendre_test {

constexpr double kPi = std::numbers::pi;

TEST(AssociatedLegendre, HasTheClosedFormsOfLowDegree) {
  const double x = 0.3;
  const double c = std::sqrt(1 - x * x);
  const auto p0 = associated_legendre(0, 3, x);
  const auto p1 = associated_legendre(1, 2, x);
  EXPECT_NEAR(static_cast<double>(p0[0]), std::sqrt(1 / (4 * kPi)), 1e-15);
  EXPECT_NEAR(static_cast<double>(p0[1]), std::sqrt(3 / (4 * kPi)) * x, 1e-15);
  EXPECT_NEAR(static_cast<double>(p0[2]), std::sqrt(5 / (16 * kPi)) * (3 * x * x - 1), 1e-15);
  EXPECT_NEAR(static_cast<double>(p0[3]), std::sqrt(7 / (16 * kPi)) * (5 * x * x * x - 3 * x), 1e-15);
  EXPECT_NEAR(static_cast<double>(p1[0]), -std::sqrt(3 / (8 * kPi)) * c, 1e-15);
  EXPECT_NEAR(static_cast<double>(p1[1]), -std::sqrt(15 / (8 * kPi)) * x * c, 1e-15);
}

TEST(AssociatedLegendre, ObeysTheAdditionTheorem) {
  // sum over m of |Y_lm|^2 = (2 l + 1) / (4 pi) at every latitude, near the pole too.
  for (const double x : {0.0, 0.5, 0.999, 0.99998}) {
    for (const int l : {1, 17, 62, 255}) {
      double sum = 0;
      for (int m = 0; m <= l; ++m) {
        const double p = static_cast<double>(associated_legendre(m, l, x).back());
        sum += (m == 0 ? 1 : 2) * p * p;
      }
      EXPECT_NEAR(sum * 4 * kPi / (2 * l + 1), 1, 1e-12) << x << ' ' << l;
    }
  }
}

TEST(LegendreTables, ContainNoSubnormalNumbers) {
  const SpectralLayout layout(62, kLine<float>);
  const LegendreTables<float> tables(layout, gauss_legendre(96), 192);
  for (const auto& chunk : tables.chunks) {
    for (const float value : chunk.synthesis) EXPECT_NE(std::fpclassify(value), FP_SUBNORMAL);
    for (const float value : chunk.analysis) EXPECT_NE(std::fpclassify(value), FP_SUBNORMAL);
  }
}

}  // namespace legendre_test
}  // namespace gcan::sim::shallow_water
