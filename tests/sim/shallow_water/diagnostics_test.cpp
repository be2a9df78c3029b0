#include "gcan/sim/shallow_water/diagnostics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gcan/sim/shallow_water/initial_conditions.h"

namespace gcan::sim::shallow_water {
namespace diagnostics_test {

TEST(Diagnostics, AreaMeanOfSineSquaredIsAThird) {
  const GaussLegendre rule = gauss_legendre(12);
  std::vector<double> field(12 * 24);
  for (std::size_t i = 0; i < field.size(); ++i) field[i] = rule.nodes[i / 24] * rule.nodes[i / 24];
  EXPECT_NEAR(area_mean(rule, field), 1.0 / 3, 1e-15);
}

TEST(Diagnostics, RelativeErrorOfAScaledField) {
  const GaussLegendre rule = gauss_legendre(4);
  const std::vector<double> b = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<double> a = b;
  for (double& value : a) value *= 1.25;
  EXPECT_NEAR(relative_l2(rule, a, b), 0.25, 1e-15);
}

TEST(Diagnostics, BudgetOfSolidRotation) {
  // u = U cos(lat) over depth H - s sin^2(lat): the area means are polynomials in sin(lat).
  const Options o = williamson_options(2);
  const Model<double> model(o);
  base::Random random(0, 0);
  const Budget b = budget(model, model.on_grid(initial_level(model, random).level));
  const Planet& planet = o.planet;
  const double u = 2 * 3.14159265358979323846 * planet.radius / (12 * 86400);
  const double depth = planet.mean_depth;
  const double fall = (planet.radius * planet.rotation * u + u * u / 2) / planet.gravity;
  EXPECT_NEAR(b.eta, -fall / 3, 1e-9);
  const double kinetic = 0.5 * u * u * (depth * 2 / 3 - fall * 2 / 15);
  const double potential = 0.5 * planet.gravity * (depth * depth - 2 * depth * fall / 3 + fall * fall / 5);
  EXPECT_NEAR(b.energy / (kinetic + potential), 1, 1e-12);
  EXPECT_GT(b.enstrophy, 0);
}

}  // namespace diagnostics_test
}  // namespace gcan::sim::shallow_water
