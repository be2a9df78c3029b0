#include "gcan/sim/smoke/simulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "gcan/base/error.h"
#include "gcan/sim/smoke/initial.h"
#include "gcan/sim/smoke/solver.h"
#include "tests/runner/every_target.h"
#include "tests/sim/smoke/plain.h"

namespace gcan::sim::smoke {
namespace smoke_simulate_test {

template <class Real>
struct Keep : FrameSink<Real> {
  std::map<std::pair<std::uint64_t, int>, State<Real>> frames;
  std::map<std::uint64_t, TrajectoryResult> ended;
  void frame(const Frame<Real>& f) override {
    EXPECT_FALSE(ended.contains(f.trajectory));
    EXPECT_TRUE(f.frame == 0 || frames.contains({f.trajectory, f.frame - 1})) << "frames out of order";
    EXPECT_TRUE(frames.emplace(std::pair{f.trajectory, f.frame}, f.state).second) << "a frame came twice";
  }
  void finished(const TrajectoryResult& result) override { ended[result.trajectory] = result; }
};

template <class Real = double>
Job<Real> short_job(int trajectories, int threads, std::uint64_t first = 0) {
  Job<Real> job;
  job.options.cells = 32, job.options.length = 8;
  job.options.skip_steps = 2, job.options.steps = 9, job.options.frame_every = 3;
  job.trajectories = trajectories, job.threads = threads, job.first_trajectory = first;
  return job;
}

TEST(SmokeSimulate, FramesAreTheSolversStates) {
  Keep<double> kept;
  const auto job = short_job(1, 1);
  const auto results = simulate(job, kept);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].complete);
  EXPECT_EQ(results[0].message(), "trajectory 0 is complete");
  ASSERT_EQ(kept.frames.size(), 3u);
  Solver<double> solver(job.options);
  State<double> state(32);
  random_smoke(job.options, 0, state.smoke);
  for (int step = 1, frame = 0; frame < 3; ++step) {
    solver.step(state);
    if (step == 3 + 3 * frame) {
      EXPECT_TRUE(plain::identical(state, kept.frames.at({0, frame})));
      ++frame;
    }
  }
}

TEST(SmokeSimulate, FramesHaveStepAndTime) {
  struct : FrameSink<double> {
    std::vector<std::pair<int, double>> seen;
    void frame(const Frame<double>& f) override { seen.emplace_back(f.step, f.time); }
  } sink;
  simulate(short_job(1, 1), sink);
  EXPECT_EQ(sink.seen, (std::vector<std::pair<int, double>>{{3, 4.5}, {6, 9.0}, {9, 13.5}}));
}

template <class Real>
class SmokeSimulateOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(SmokeSimulateOf, Reals);

TYPED_TEST(SmokeSimulateOf, DoesNotDependOnThreadsOrParts) {
  Keep<TypeParam> alone, together, first_half, second_half;
  simulate(short_job<TypeParam>(6, 1), alone);
  const auto results = simulate(short_job<TypeParam>(6, 4), together);
  simulate(short_job<TypeParam>(3, 2, 0), first_half);
  simulate(short_job<TypeParam>(3, 2, 3), second_half);
  ASSERT_EQ(alone.frames.size(), 18u);
  ASSERT_EQ(together.frames.size(), 18u);
  for (std::uint64_t i = 0; i < 6; ++i) EXPECT_EQ(results[i].trajectory, i);
  for (const auto& [key, state] : alone.frames) {
    EXPECT_TRUE(plain::identical(state, together.frames.at(key)));
    EXPECT_TRUE(plain::identical(state, (key.first < 3 ? first_half : second_half).frames.at(key)));
  }
  EXPECT_FALSE(plain::identical(alone.frames.at({0, 0}), alone.frames.at({1, 0})));
}

TYPED_TEST(SmokeSimulateOf, EveryInstructionSetGivesTheSameBits) {
  Keep<TypeParam> best;
  simulate(short_job<TypeParam>(2, 1), best);
  test::on_every_target([&] {
    Keep<TypeParam> other;
    simulate(short_job<TypeParam>(2, 1), other);
    for (const auto& [key, state] : best.frames) EXPECT_TRUE(plain::identical(state, other.frames.at(key)));
  });
}

TEST(SmokeSimulate, TheSeedReproducesAndDistinguishesRuns) {
  Keep<double> first, again, other;
  auto job = short_job(1, 1);
  job.options.seed = 42;
  simulate(job, first);
  simulate(job, again);
  job.options.seed = 43;
  simulate(job, other);
  EXPECT_TRUE(plain::identical(first.frames.at({0, 2}), again.frames.at({0, 2})));
  EXPECT_GT(plain::largest_difference(first.frames.at({0, 2}), other.frames.at({0, 2})), 0.01);
}

// Trajectory 1 begins with NaN, trajectory 3 with smoke so strong that it overflows on the way.
TEST(SmokeSimulate, ANonFiniteTrajectoryStopsAloneAndIsNamed) {
  auto job = short_job(5, 2);
  const auto strong = [](Field<double>& smoke) {
    for (int i = 0; i < 32; ++i)
      for (int j = 0; j < 32; ++j) smoke(i, j) = 2e306 * (1 + std::sin(0.4 * i) * std::cos(0.3 * j));
  };
  job.initial_smoke = [&](std::uint64_t trajectory, Field<double>& smoke) {
    random_smoke(job.options, trajectory, smoke);
    if (trajectory == 1) smoke(3, 4) = NAN;
    if (trajectory == 3) strong(smoke);
  };
  Keep<double> kept, normal;
  const auto results = simulate(job, kept);
  simulate(short_job(5, 1), normal);
  for (const int good : {0, 2, 4}) {
    EXPECT_TRUE(results[static_cast<std::size_t>(good)].complete);
    const auto key = std::pair<std::uint64_t, int>{good, 2};
    EXPECT_TRUE(plain::identical(kept.frames.at(key), normal.frames.at(key)));
  }
  EXPECT_EQ(results[1].message(), "trajectory 1 stopped: smoke is not finite at the start");

  Solver<double> solver(job.options);
  State<double> state(32);
  strong(state.smoke);
  int step = 0;
  while (!non_finite_field(state)) solver.step(state), ++step;
  EXPECT_FALSE(results[3].complete);
  EXPECT_GT(step, 0);
  EXPECT_EQ(results[3].failed_step, step);
  EXPECT_EQ(results[3].failed_field, non_finite_field(state));
  EXPECT_EQ(results[3].message(), "trajectory 3 stopped: " + results[3].failed_field +
                                      " is not finite after step " + std::to_string(step));
  EXPECT_EQ(kept.ended.size(), 5u);
  EXPECT_FALSE(kept.ended.at(3).complete);
}

TEST(SmokeSimulate, AnErrorOfTheSinkReachesTheCaller) {
  struct : FrameSink<double> {
    int calls = 0;
    void frame(const Frame<double>&) override {
      if (++calls == 4) throw std::runtime_error("disk full");
    }
  } sink;
  EXPECT_THROW(
      {
        try {
          simulate(short_job(40, 3), sink);
        } catch (const std::runtime_error& error) {
          EXPECT_STREQ(error.what(), "disk full");
          throw;
        }
      },
      std::runtime_error);
  EXPECT_EQ(sink.calls, 4) << "no frame may follow an error";
}

TEST(SmokeSimulate, BadJobsAreRejectedBeforeAnythingRuns) {
  struct : FrameSink<double> {
    void frame(const Frame<double>&) override { FAIL() << "a frame came"; }
  } sink;
  auto job = short_job(1, 0);
  EXPECT_THROW(simulate(job, sink), Error);
  job = short_job(-1, 1);
  EXPECT_THROW(simulate(job, sink), Error);
  job = short_job(1, 1);
  job.options.cells = 31;
  job.initial_smoke = [](std::uint64_t, Field<double>&) { FAIL() << "it started"; };
  EXPECT_THROW(simulate(job, sink), Error);
  EXPECT_TRUE(simulate(short_job(0, 2), sink).empty());
}

TEST(SmokeState, FaceCopiesDropTheLastWall) {
  const auto state = plain::random_state<double>(16, 1);
  std::vector<float> left(256), lower(256);
  copy_left_faces(state, std::span(left));
  copy_lower_faces(state, std::span(lower));
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      EXPECT_EQ(left[static_cast<std::size_t>(16 * i + j)], static_cast<float>(state.u(i, j)));
      EXPECT_EQ(lower[static_cast<std::size_t>(16 * i + j)], static_cast<float>(state.v(i, j)));
    }
}

}  // namespace smoke_simulate_test
}  // namespace gcan::sim::smoke
