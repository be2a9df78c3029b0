#include "gcan/sim/shallow_water/gauss_legendre.h"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace gcan::sim::shallow_water {
namespace {

// P_n and its derivative at x by the three-term recurrence. Extended precision keeps the nodes exact to
// the last bit of a double where long double is wider, and to 1e-15 where it is not.
struct LegendreValue {
  long double p;
  long double derivative;
};

LegendreValue legendre(int n, long double x) {
  long double previous = 1.0L;
  long double current = x;
  for (int k = 2; k <= n; ++k) {
    const long double next =
        (static_cast<long double>(2 * k - 1) * x * current - static_cast<long double>(k - 1) * previous) /
        static_cast<long double>(k);
    previous = current;
    current = next;
  }
  return {current, static_cast<long double>(n) * (previous - x * current) / (1.0L - x * x)};
}

}  // namespace

GaussLegendre gauss_legendre(int n) {
  const auto size = static_cast<std::size_t>(n);
  GaussLegendre rule{std::vector<double>(size), std::vector<double>(size)};
  for (int i = 0; i < (n + 1) / 2; ++i) {
    // Tricomi's estimate is within Newton's region of convergence for every root.
    long double x =
        std::cos(std::numbers::pi_v<long double> * (static_cast<long double>(i) + 0.75L) / (n + 0.5L));
    for (int iteration = 0; iteration < 8; ++iteration) {
      const auto [p, derivative] = legendre(n, x);
      x -= p / derivative;
    }
    if (2 * i + 1 == n) x = 0.0L;
    const long double derivative = legendre(n, x).derivative;
    const auto north = static_cast<std::size_t>(i);
    const auto south = size - 1 - north;
    rule.nodes[north] = static_cast<double>(x);
    rule.nodes[south] = -rule.nodes[north];
    rule.weights[north] = rule.weights[south] =
        static_cast<double>(2.0L / ((1.0L - x * x) * derivative * derivative));
  }
  return rule;
}

}  // namespace gcan::sim::shallow_water
