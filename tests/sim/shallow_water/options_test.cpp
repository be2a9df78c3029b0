#include "gcan/sim/shallow_water/options.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "gcan/base/error.h"
#include "tests/sim/option_error.h"

namespace gcan::sim::shallow_water {
namespace options_test {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

#define EXPECT_COMPLAINT(change, part)                                                             \
  EXPECT_NE(test::option_error<Options>([](Options& o) { change; }).find(part), std::string::npos) \
      << test::option_error<Options>([](Options& o) { change; })

TEST(Options, PresetsAreValid) {
  EXPECT_NO_THROW(validate(paper_preset()));
  EXPECT_NO_THROW(validate(small_preset()));
  EXPECT_NO_THROW(validate(preset("paper")));
  EXPECT_THROW(preset("large"), Error);
}

TEST(Options, StartsHaveNames) {
  for (const char* name :
       {"rest", "random2", "galewsky", "random-vorticity", "williamson2", "williamson5", "williamson6"})
    EXPECT_EQ(name_of(initial_condition(name)), name);
  EXPECT_EQ(initial_condition("random2"), InitialCondition::kRandom2);
  EXPECT_THROW(initial_condition("random3"), Error);
}

TEST(Options, FramesOfThePaper) {
  const auto steps = frame_steps(paper_preset());
  EXPECT_EQ(steps.size(), 88U);
  EXPECT_EQ(steps[0], 0);
  EXPECT_EQ(steps[1], 4);
  EXPECT_EQ(steps[2], 10);
  EXPECT_EQ(steps.back(), 520);
}

TEST(Options, TruncationsGetTheirUsualGrids) {
  const int expected[][3] = {{31, 48, 96},   {42, 64, 128},   {62, 96, 192},   {63, 96, 192},
                             {85, 128, 256}, {127, 192, 384}, {170, 256, 512}, {255, 384, 768}};
  for (const auto& [truncation, latitudes, longitudes] : expected) {
    Options o;
    set_truncation(o, truncation);
    EXPECT_EQ(o.latitudes, latitudes) << truncation;
    EXPECT_EQ(o.longitudes, longitudes) << truncation;
  }
}

TEST(Options, GridMustCarryTheTruncation) {
  EXPECT_COMPLAINT(o.truncation = 64, "T64 needs at least 193 longitudes");
  EXPECT_COMPLAINT(o.latitudes = 80, "needs at least 94 latitudes");
  EXPECT_COMPLAINT(o.truncation = 1, "must lie between");
  EXPECT_COMPLAINT(o.latitudes = 95, "must be even");
  EXPECT_COMPLAINT(o.longitudes = 193, "must be even");
  EXPECT_COMPLAINT(o.longitudes = 2, "at least 4");
}

TEST(Options, TimeStepMustBeStable) {
  EXPECT_COMPLAINT(o.time_step = 7000, "inertial waves");
  EXPECT_COMPLAINT(o.time_step = 4000, "must be at most 3425");
  EXPECT_COMPLAINT(o.initial = InitialCondition::kGalewsky, "unstable");
  EXPECT_COMPLAINT(o.time_step = 0, "above 0");
  EXPECT_COMPLAINT(o.time_step = -1, "above 0");
  EXPECT_COMPLAINT(o.time_step = kNan, "finite");
  EXPECT_COMPLAINT(o.implicit_weight = 0.4, "between 0.5 and 1");
  EXPECT_COMPLAINT(o.robert_filter = 1.5, "Robert");
  EXPECT_COMPLAINT(o.williams_filter = -0.1, "Williams");
  EXPECT_COMPLAINT(o.frames = 0, "frames");
  EXPECT_COMPLAINT(o.first_frame = 0, "second frame");
  EXPECT_COMPLAINT(o.frame_interval = 0, "apart");
}

TEST(Options, PhysicsMustMakeSense) {
  EXPECT_COMPLAINT(o.planet.radius = -1, "radius");
  EXPECT_COMPLAINT(o.planet.gravity = 0, "gravity");
  EXPECT_COMPLAINT(o.planet.mean_depth = kInfinity, "depth");
  EXPECT_COMPLAINT(o.planet.rotation = kNan, "rotation");
  EXPECT_COMPLAINT(o.diffusion.time_scale = -1, "viscosity");
  EXPECT_COMPLAINT(o.diffusion.power = 0, "Laplacian");
  EXPECT_COMPLAINT(o.forcing.drag_time = -1, "drag");
  EXPECT_COMPLAINT(o.forcing.relaxation_time = -1, "relaxation");
  EXPECT_COMPLAINT(o.forcing.relaxation_time = 100, "overshoots");
  EXPECT_COMPLAINT(o.forcing.relaxation_height = kNan, "relaxation");
  EXPECT_COMPLAINT(o.forcing.stirring = -1, "stirring");
  EXPECT_COMPLAINT((o.forcing.stirring = 1e-10, o.forcing.stirring_time = 0), "decorrelation");
  EXPECT_COMPLAINT((o.forcing.stirring = 1e-10, o.forcing.stirring_last = 63), "degrees");
}

TEST(Options, StartAndGroundMustFit) {
  EXPECT_COMPLAINT((o.jet.speed[0] = 50, o.jet.speed[1] = 40), "down to");
  EXPECT_COMPLAINT(o.jet.latitude[1] = 80, "latitude of the jet");
  EXPECT_COMPLAINT(o.random_wind = -1, "random vorticity");
  EXPECT_COMPLAINT((o.initial = InitialCondition::kRandomVorticity, o.time_step = 600, o.random_degree = 0),
                   "peaks");
  EXPECT_COMPLAINT(set_truncation(o, 10), "random2");
  EXPECT_COMPLAINT(o.orography = Orography::kGiven, "0 values");
  EXPECT_COMPLAINT((o.orography = Orography::kGiven, o.orography_height.assign(96 * 192, 2e4)),
                   "below the mean depth");
  EXPECT_COMPLAINT((o.orography = Orography::kGiven, o.orography_height.assign(96 * 192, kNan)), "finite");
}

}  // namespace options_test
}  // namespace gcan::sim::shallow_water
