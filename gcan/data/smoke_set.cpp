#include <cstdint>

#include "gcan/data/generate.h"
#include "gcan/data/generation.h"
#include "gcan/sim/smoke/simulate.h"

namespace gcan::data {
namespace {

namespace smoke = sim::smoke;
using config::Setting;
using Set = SmokeSet;

template <class Member>
Setting<Set> number(const std::string& name, std::string unit, std::string help, Member member) {
  return config::number_setting<Set>(name, std::move(unit), std::move(help), member);
}

std::vector<Setting<Set>> make_settings() {
  return {
      number("cells", "1", "Cells along each side, even", [](Set& s) -> int& { return s.options.cells; }),
      number("length", "m", "Side of the box", [](Set& s) -> double& { return s.options.length; }),
      number("time-step", "s", "Length of a step", [](Set& s) -> double& { return s.options.time_step; }),
      number("viscosity", "m^2/s", "Kinematic viscosity",
             [](Set& s) -> double& { return s.options.viscosity; }),
      number("buoyancy", "m/s^2", "Upward acceleration at smoke density 1",
             [](Set& s) -> double& { return s.options.buoyancy; }),
      config::choice_setting<Set>("advection",
                                  "semi-lagrangian (first order, the paper's) or mac-cormack (second order)",
                                  {"semi-lagrangian", "mac-cormack"},
                                  [](Set& s) -> smoke::Advection& { return s.options.advection; }),
      number("diffusion-substeps", "1", "Diffusion substeps per step, for stability",
             [](Set& s) -> int& { return s.options.diffusion_substeps; }),
      number("skip-steps", "1", "Steps to skip before the first frame",
             [](Set& s) -> int& { return s.options.skip_steps; }),
      number("steps", "1", "Steps after the skipped ones", [](Set& s) -> int& { return s.options.steps; }),
      number("frame-every", "1", "Store every N-th of these steps",
             [](Set& s) -> int& { return s.options.frame_every; }),
      number("noise-scale", "m", "Length scale of the initial smoke",
             [](Set& s) -> double& { return s.options.noise_scale; }),
      number("noise-smoothness", "1", "Smoothness N of the initial smoke: amplitude (k^2)^-N",
             [](Set& s) -> int& { return s.options.noise_smoothness; }),
      number("seed", "1", "Seed of the data set", [](Set& s) -> std::uint64_t& { return s.options.seed; }),
      config::choice_setting<Set>("precision", "double or float", {"double", "float"},
                                  [](Set& s) -> bool& { return s.single; }),
  };
}

template <class Real>
class Sink : public smoke::FrameSink<Real> {
 public:
  Sink(const Description& description, const Range& range, const TrajectoryDone& done)
      : running_(description, range, done) {}

  void frame(const smoke::Frame<Real>& frame) override {
    Trajectory& data = running_.at(static_cast<std::int64_t>(frame.trajectory));
    const smoke::State<Real>& state = frame.state;
    std::size_t at = static_cast<std::size_t>(frame.frame) * running_.description().frame_points();
    for (int i = 0; i < state.cells; ++i) {
      for (int j = 0; j < state.cells; ++j, ++at) {
        data.fields[0][at] = static_cast<float>(state.smoke(i, j));
        data.fields[1][2 * at] = static_cast<float>(state.u(i, j));
        data.fields[1][2 * at + 1] = static_cast<float>(state.v(i, j));
      }
    }
  }

  void finished(const smoke::TrajectoryResult& result) override {
    running_.finish(static_cast<std::int64_t>(result.trajectory), result.complete ? -1 : result.failed_step,
                    result.failed_field, result.complete ? "" : result.message());
  }

 private:
  RunningTrajectories running_;
};

template <class Real>
void run_range(const Set& set, int threads, const Description& description, const Range& range,
               const TrajectoryDone& done) {
  smoke::Job<Real> job;
  job.options = set.options;
  job.first_trajectory = static_cast<std::uint64_t>(description.number_of(range.first));
  job.trajectories = range.count;
  job.threads = threads;
  Sink<Real> sink(description, range, done);
  smoke::simulate(job, sink);
}

}  // namespace

const std::vector<Setting<Set>>& smoke_settings() {
  static const auto settings = make_settings();
  return settings;
}

Description describe(const Set& set, const std::array<int, 3>& splits) {
  const smoke::Options& o = set.options;
  smoke::validate(o);
  Description d;
  d.dataset = "navier-stokes";
  d.grid_type = "cartesian";
  std::vector<double> centres;
  centres.reserve(static_cast<std::size_t>(o.cells));
  for (int i = 0; i < o.cells; ++i) centres.push_back((i + 0.5) * o.dx());
  d.space = {Axis{"x", "m", centres, "WALL"}, Axis{"y", "m", centres, "WALL"}};
  d.area.assign(centres.size(), 1.0 / o.cells / o.cells);
  for (int frame = 0; frame < o.frames(); ++frame) {
    d.frame_times.push_back(o.frame_time(frame));
    d.frame_steps.push_back(o.frame_step(frame));
  }
  d.fields = {
      {"smoke", "1", {}, "density of smoke; at cell centres"},
      {"velocity",
       "m/s",
       {"vx", "vy"},
       "staggered: vx on the left face (x - dx/2, y) of its cell, vy on the lower face (x, y - dx/2); "
       "the faces on the far walls, not stored, are zero"}};
  d.constants = {{"viscosity", o.viscosity, "m^2/s"},
                 {"buoyancy", o.buoyancy, "m/s^2"},
                 {"time_step", o.time_step, "s"},
                 {"length", o.length, "m"},
                 {"cell", o.dx(), "m"}};
  d.options = recorded(smoke_settings(), set);
  record_run(d, splits);
  d.failure_names = {"smoke", "velocity in x", "velocity in y"};
  return d;
}

Outcome generate(const Set& set, const SetOptions& options, const Observer& observer) {
  Description description = describe(set, options.splits);
  mark_part(description, options);
  return run_generation(description, options, observer, [&](const Range& range, const TrajectoryDone& done) {
    if (set.single)
      run_range<float>(set, options.threads, description, range, done);
    else
      run_range<double>(set, options.threads, description, range, done);
  });
}

}  // namespace gcan::data
