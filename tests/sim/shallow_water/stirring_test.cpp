#include "gcan/sim/shallow_water/stirring.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gcan/sim/shallow_water/diagnostics.h"

namespace gcan::sim::shallow_water {
namespace stirring_test {

Options stirred() {
  Options o = small_preset();
  o.initial = InitialCondition::kRest;
  o.forcing.stirring = 3e-10;
  o.forcing.stirring_time = 4 * o.time_step;
  return o;
}

TEST(Stirring, HasItsStandardDeviationAndItsMemory) {
  const Model<double> model(stirred());
  State<double> state = model.start(Level<double>(model.layout()));
  base::Random random(1, 0);
  constexpr int kSteps = 400;
  double square = 0;
  double product = 0;
  SpectralField<double> before = state.forcing;
  for (int i = 0; i < kSteps; ++i) {
    state.step = i;
    stir(model, state, random);
    for (int l = 8; l <= 12; ++l) {
      for (int m = 0; m <= l; ++m) {
        const auto value = state.forcing.get(model.layout(), l, m);
        const double weight = m == 0 ? 1 : 2;
        square += weight * std::norm(value);
        if (i > 0) product += weight * (value * std::conj(before.get(model.layout(), l, m))).real();
      }
    }
    before = state.forcing;
  }
  const double variance = square / kSteps / (4 * 3.14159265358979);
  EXPECT_NEAR(std::sqrt(variance) / 3e-10, 1, 0.05);
  EXPECT_NEAR(product / square, std::exp(-0.25), 0.03);
}

TEST(Stirring, OffHasNoEffect) {
  Options o = stirred();
  o.forcing.stirring = 0;
  const Model<double> model(o);
  State<double> state = model.start(Level<double>(model.layout()));
  base::Random random(1, 0);
  stir(model, state, random);
  for (const double value : state.forcing.values()) EXPECT_EQ(value, 0);
}

TEST(Stirring, MovesAFluidAtRest) {
  const Model<double> model(stirred());
  State<double> state = model.start(Level<double>(model.layout()));
  base::Random random(1, 0);
  for (int i = 0; i < 10; ++i) {
    stir(model, state, random);
    model.advance(state);
  }
  const GridFields fields = model.on_grid(state.new_level);
  EXPECT_GT(std::abs(fields.u[500]) + std::abs(fields.v[500]), 1e-3);
}

}  // namespace stirring_test
}  // namespace gcan::sim::shallow_water
