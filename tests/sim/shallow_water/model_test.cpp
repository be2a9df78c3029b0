#include "gcan/sim/shallow_water/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gcan/sim/shallow_water/diagnostics.h"
#include "gcan/sim/shallow_water/initial_conditions.h"
#include "tests/runner/every_target.h"

namespace gcan::sim::shallow_water {
namespace model_test {

Options quiet() {
  Options o;
  set_truncation(o, 21);
  o.time_step = 1200;
  o.initial = InitialCondition::kRest;
  o.diffusion.time_scale = 0;
  return o;
}

TEST(Model, RestStaysAtRestOverMountains) {
  Options o = quiet();
  o.orography = Orography::kMountain;
  const Model<double> model(o);
  State<double> state = model.start(Level<double>(model.layout()));
  for (int i = 0; i < 20; ++i) model.advance(state);
  for (const double value : model.on_grid(state.new_level).u) EXPECT_EQ(value, 0);
}

TEST(Model, MassIsConstantWithEverythingSwitchedOn) {
  Options o = small_preset();
  o.orography = Orography::kMountain;
  o.forcing.drag_time = 10 * 86400;
  o.forcing.relaxation_time = 4 * 86400;
  o.forcing.relaxation_height = 1000;
  const Model<double> model(o);
  base::Random random(0, 0);
  Level<double> start = initial_level(model, random).level;
  start.eta.set(model.layout(), 0, 0, 123.0);
  State<double> state = model.start(start);
  for (int i = 0; i < 200; ++i) model.advance(state);
  EXPECT_NEAR(state.new_level.eta.get(model.layout(), 0, 0).real() / 123.0, 1, 1e-13);
  const GridFields fields = model.on_grid(state.new_level);
  EXPECT_NEAR(area_mean(model.transform().rule(), fields.eta), 123.0 / std::sqrt(4 * 3.14159265358979),
              1e-10);
}

TEST(Model, EnergyOfInviscidFlowIsKept) {
  Options o = quiet();
  o.initial = InitialCondition::kRandomVorticity;
  o.time_step = 300;
  o.robert_filter = 0.001;
  const Model<double> model(o);
  base::Random random(0, 0);
  State<double> state = model.start(initial_level(model, random).level);
  const double before = budget(model, model.on_grid(state.new_level)).energy;
  for (int i = 0; i < 288; ++i) model.advance(state);
  EXPECT_NEAR(budget(model, model.on_grid(state.new_level)).energy / before, 1, 1e-6);
}

TEST(Model, DragSlowsSolidRotationAtItsRate) {
  Options o = quiet();
  o.planet.rotation = 0;
  o.time_step = 600;
  o.forcing.drag_time = 2 * 86400;
  const Model<double> model(o);
  Level<double> start(model.layout());
  start.vorticity.set(model.layout(), 1, 0, 1e-9);  // weak: negligible pressure
  State<double> state = model.start(start);
  for (int i = 0; i < 144; ++i) model.advance(state);
  EXPECT_NEAR(state.new_level.vorticity.get(model.layout(), 1, 0).real() / 1e-9, std::exp(-0.5), 2e-3);
}

TEST(Model, DiffusionDampsTheTruncationScaleAtItsTimeScale) {
  Options o = quiet();
  o.planet.rotation = 0;
  o.time_step = 60;
  o.diffusion.time_scale = 7200;
  const Model<double> model(o);
  Level<double> start(model.layout());
  start.vorticity.set(model.layout(), 21, 0, 1e-12);
  start.vorticity.set(model.layout(), 3, 0, 1e-12);
  State<double> state = model.start(start);
  for (int i = 0; i < 120; ++i) model.advance(state);
  EXPECT_NEAR(state.new_level.vorticity.get(model.layout(), 21, 0).real() / 1e-12, std::exp(-1), 0.01);
  const double weak = std::pow(12.0 / (21 * 22), 4);
  EXPECT_NEAR(state.new_level.vorticity.get(model.layout(), 3, 0).real() / 1e-12, std::exp(-weak), 1e-6);
}

TEST(Model, RelaxationPullsTheSurfaceTowardsItsTarget) {
  Options o = quiet();
  o.forcing.relaxation_time = 86400;
  o.forcing.relaxation_height = 300;
  const Model<double> model(o);
  State<double> state = model.start(Level<double>(model.layout()));
  model.advance(state);
  // After one step of dt the surface follows deta/dt = target / time; gravity waves are still negligible.
  const GridFields fields = model.on_grid(state.new_level);
  const double sine = model.transform().rule().nodes[0];
  const double expected = 300 * (1.0 / 3 - sine * sine) * o.time_step / 86400;
  EXPECT_NEAR(fields.eta[0] / expected, 1, 0.1);
  EXPECT_GT(fields.eta[16 * 64], 0);
}

TEST(Model, StepsByTheFormulaOfTheNotes) {
  // One mode of eta, linear regime: the step by hand.
  Options o = quiet();
  o.planet.rotation = 0;
  o.robert_filter = 0.1;
  o.williams_filter = 0.6;
  const Model<double> model(o);
  Level<double> start(model.layout());
  start.eta.set(model.layout(), 4, 2, 1e-6);
  State<double> state = model.start(start);
  double d1 = 0, d2 = 0, e1 = 1e-6, e2 = 1e-6;
  const double g = o.planet.gravity, depth = o.planet.mean_depth;
  const double lap = -20 / (o.planet.radius * o.planet.radius);
  const auto leap = [&](double step, bool starting) {
    const double xi = 0.5 * step;
    const double gd = -g * lap * e2 - g * lap * (e1 - e2);
    const double ge = -depth * d2 - depth * (d1 - d2);
    const double dd = (gd - xi * g * lap * ge) / (1 - xi * xi * g * depth * lap);
    const double de = ge - xi * depth * dd;
    const auto update = [&](double& x1, double& x2, double t) {
      const double next = x1 + step * t;
      const double delta = x1 - 2 * x2 + next;
      if (!starting) x1 = x2 + 0.1 * 0.6 / 2 * delta;
      x2 = starting ? next : next - 0.1 * 0.4 / 2 * delta;
    };
    update(d1, d2, dd);
    update(e1, e2, de);
  };
  leap(600, true);
  leap(1200, true);
  for (int i = 0; i < 5; ++i) leap(2400, false);
  for (int i = 0; i < 6; ++i) model.advance(state);
  EXPECT_NEAR(state.new_level.eta.get(model.layout(), 4, 2).real() / e2, 1, 1e-7);
  EXPECT_NEAR(state.old_level.eta.get(model.layout(), 4, 2).real() / e1, 1, 1e-7);
  EXPECT_NEAR(state.new_level.divergence.get(model.layout(), 4, 2).real() / d2, 1, 1e-7);
}

TEST(Model, GridFieldsBelongTogether) {
  const Model<double> model(small_preset());
  base::Random random(0, 1);
  State<double> state = model.start(initial_level(model, random).level);
  for (int i = 0; i < 30; ++i) model.advance(state);
  const GridFields fields = model.on_grid(state.new_level);
  const auto vorticity = model.transform().to_spectral(fields.vorticity);
  const auto divergence = model.transform().to_spectral(fields.divergence);
  for (std::size_t i = 0; i < vorticity.values().size(); ++i) {
    EXPECT_NEAR(vorticity.values()[i], state.new_level.vorticity.values()[i], 1e-17);
    EXPECT_NEAR(divergence.values()[i], state.new_level.divergence.values()[i], 1e-17);
  }
}

// Fluxes, wind, transforms and the leapfrog step agree on all instruction sets up to rounding.
TEST(Model, AgreesOnAllInstructionSets) {
  Options o = quiet();
  o.initial = InitialCondition::kRandomVorticity;
  const auto surface_after_ten_steps = [&o] {
    const Model<double> model(o);
    base::Random random(0, 0);
    State<double> state = model.start(initial_level(model, random).level);
    for (int i = 0; i < 10; ++i) model.advance(state);
    return model.on_grid(state.new_level).eta;
  };
  const auto best = surface_after_ten_steps();
  test::on_every_target([&] {
    const auto other = surface_after_ten_steps();
    for (std::size_t i = 0; i < best.size(); ++i) ASSERT_NEAR(other[i], best[i], 1e-8);
  });
}

}  // namespace model_test
}  // namespace gcan::sim::shallow_water
