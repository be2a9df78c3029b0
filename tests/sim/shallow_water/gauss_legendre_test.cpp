#include "gcan/sim/shallow_water/gauss_legendre.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace gcan::sim::shallow_water {
namespace gauss_legendre_test {

TEST(GaussLegendre, IntegratesPolynomialsUpToItsDegree) {
  for (const int n : {1, 2, 3, 8, 33, 96, 384}) {
    const GaussLegendre rule = gauss_legendre(n);
    for (const int degree : {0, 1, 2, n, 2 * n - 2, 2 * n - 1}) {
      if (degree < 0 || degree > 2 * n - 1) continue;
      double sum = 0;
      for (std::size_t i = 0; i < rule.nodes.size(); ++i)
        sum += rule.weights[i] * std::pow(rule.nodes[i], degree);
      EXPECT_NEAR(sum, degree % 2 == 0 ? 2.0 / (degree + 1) : 0.0, 2e-15) << n << ' ' << degree;
    }
  }
}

TEST(GaussLegendre, FailsOneDegreeHigher) {
  const GaussLegendre rule = gauss_legendre(4);
  double sum = 0;
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) sum += rule.weights[i] * std::pow(rule.nodes[i], 8);
  EXPECT_GT(std::abs(sum - 2.0 / 9), 1e-4);
}

TEST(GaussLegendre, RunsFromNorthToSouthAndIsSymmetric) {
  const GaussLegendre rule = gauss_legendre(97);
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    EXPECT_EQ(rule.nodes[i], -rule.nodes[96 - i]);
    EXPECT_EQ(rule.weights[i], rule.weights[96 - i]);
    if (i > 0) {
      EXPECT_LT(rule.nodes[i], rule.nodes[i - 1]);
    }
  }
}

}  // namespace gauss_legendre_test
}  // namespace gcan::sim::shallow_water
