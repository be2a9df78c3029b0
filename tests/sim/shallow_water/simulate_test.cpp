#include "gcan/sim/shallow_water/simulate.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <utility>

#include "gcan/base/error.h"

namespace gcan::sim::shallow_water {
namespace simulate_test {

Options short_run() {
  Options o = small_preset();
  o.frames = 4;
  return o;
}

using Frames = std::map<std::pair<int, int>, GridFields>;

Frames run(const Options& options, int first, int count, int threads) {
  Frames frames;
  simulate(options, first, count, threads,
           {[&](const Frame& frame) {
              frames[{frame.trajectory, frame.index}] = frame.fields;
            },
            {}});
  return frames;
}

void expect_same(const Frames& a, const Frames& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [key, fields] : a) {
    const GridFields& other = b.at(key);
    EXPECT_EQ(fields.u, other.u);
    EXPECT_EQ(fields.v, other.v);
    EXPECT_EQ(fields.eta, other.eta);
    EXPECT_EQ(fields.vorticity, other.vorticity);
    EXPECT_EQ(fields.divergence, other.divergence);
  }
}

TEST(Simulate, DoesNotDependOnTheNumberOfThreads) {
  Options o = short_run();
  o.forcing.stirring = 1e-10;
  expect_same(run(o, 0, 5, 1), run(o, 0, 5, 3));
}

TEST(Simulate, ATrajectoryDependsOnItsNumberOnly) {
  const Frames all = run(short_run(), 0, 3, 1);
  const Frames last = run(short_run(), 2, 1, 1);
  for (int index = 0; index < 4; ++index) EXPECT_EQ(all.at({2, index}).eta, last.at({2, index}).eta);
  EXPECT_NE(all.at({0, 1}).eta, all.at({1, 1}).eta);
}

TEST(Simulate, SeedsRepeatAndDiffer) {
  Options o = short_run();
  const Frames a = run(o, 0, 1, 1);
  expect_same(a, run(o, 0, 1, 1));
  o.seed = 1;
  EXPECT_NE(a.at({0, 0}).u, run(o, 0, 1, 1).at({0, 0}).u);
}

TEST(Simulate, FramesComeInOrderWithTheirTimes) {
  const Options o = short_run();
  const GridDescription grid = describe(o);
  EXPECT_EQ(grid.frame_steps, (std::vector<int>{0, 4, 10, 16}));
  EXPECT_DOUBLE_EQ(grid.frame_times[2], 10 * 3290.0);
  EXPECT_EQ(grid.latitudes.size(), 48U);
  EXPECT_GT(grid.latitudes[0], 80);
  double area = 0;
  for (const double part : grid.area) area += part * 96;
  EXPECT_NEAR(area, 1, 1e-14);
  int next = 0;
  const auto status =
      simulate(o, 7, 1, 1,
               {[&](const Frame& frame) {
                  EXPECT_EQ(frame.trajectory, 7);
                  EXPECT_EQ(frame.index, next++);
                  EXPECT_EQ(frame.step, grid.frame_steps[static_cast<std::size_t>(frame.index)]);
                  EXPECT_DOUBLE_EQ(frame.time, frame.step * 3290.0);
                  EXPECT_EQ(frame.fields.u.size(), 48U * 96U);
                },
                {}});
  ASSERT_EQ(status.size(), 1U);
  EXPECT_TRUE(status[0].complete);
  EXPECT_EQ(status[0].frames, 4);
  EXPECT_TRUE(status[0].message.empty());
  EXPECT_EQ(status[0].parameters.size(), 4U);
}

TEST(Simulate, AnInstabilityEndsItsTrajectoryAndNamesStepAndField) {
  Options o = short_run();
  o.initial = InitialCondition::kRest;
  o.frames = 40;
  o.forcing.stirring = 1e-7;
  int done = 0;
  const auto status = simulate(o, 0, 2, 1, {{}, [&](const TrajectoryStatus&) { ++done; }});
  EXPECT_EQ(done, 2);
  for (const TrajectoryStatus& s : status) {
    EXPECT_FALSE(s.complete);
    EXPECT_GT(s.failed_step, 0);
    EXPECT_FALSE(s.failed_field.empty());
    EXPECT_NE(s.message.find("step " + std::to_string(s.failed_step)), std::string::npos) << s.message;
    EXPECT_NE(s.message.find(s.failed_field), std::string::npos);
  }
}

TEST(Simulate, OthersContinueWhenATrajectoryFails) {
  // A shallow layer: strong jets dry it out at the pole, weak ones do not.
  Options o = short_run();
  o.initial = InitialCondition::kGalewsky;
  o.time_step = 600;
  o.planet.mean_depth = 600;
  o.jet.speed[0] = 5;
  o.jet.speed[1] = 120;
  o.jet.bump[0] = o.jet.bump[1] = 0;
  const auto status = simulate(o, 0, 12, 2, {});
  int complete = 0;
  for (const TrajectoryStatus& s : status) {
    complete += s.complete ? 1 : 0;
    EXPECT_NE(s.complete, s.failed_field == "depth");
  }
  EXPECT_GT(complete, 0);
  EXPECT_LT(complete, 12);
}

TEST(Simulate, ExceptionsInCallbacksPropagate) {
  const auto boom = [](const Frame& frame) {
    if (frame.index == 2) throw std::runtime_error("disk full");
  };
  EXPECT_THROW(simulate(short_run(), 0, 4, 2, {boom, {}}), std::runtime_error);
}

TEST(Simulate, RejectsBadOptionsBeforeAnythingRuns) {
  Options o = short_run();
  o.truncation = 40;
  int frames = 0;
  EXPECT_THROW(simulate(o, 0, 1, 1, {[&](const Frame&) { ++frames; }, {}}), Error);
  EXPECT_EQ(frames, 0);
  EXPECT_THROW(simulate(short_run(), 0, -1, 1, {}), Error);
  EXPECT_THROW(describe(o), Error);
}

TEST(Simulate, FloatFollowsDouble) {
  Options o = short_run();
  const Frames exact = run(o, 0, 1, 1);
  o.precision = Precision::kFloat;
  const Frames rough = run(o, 0, 1, 1);
  double error = 0, scale = 0;
  for (std::size_t i = 0; i < 48 * 96; ++i) {
    error = std::max(error, std::abs(exact.at({0, 3}).u[i] - rough.at({0, 3}).u[i]));
    scale = std::max(scale, std::abs(exact.at({0, 3}).u[i]));
  }
  EXPECT_LT(error, 1e-5 * scale);
  EXPECT_GT(error, 0);
}

}  // namespace simulate_test
}  // namespace gcan::sim::shallow_water
