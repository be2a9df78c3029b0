#include <algorithm>
#include <map>

#include "gcan/data/generate.h"
#include "gcan/data/generation.h"
#include "gcan/sim/smoke/simulate.h"

namespace gcan::data {
namespace {

namespace smoke = sim::smoke;
using Set = SmokeSet;

template <class Member>
Setting<Set> number(std::string name, std::string unit, std::string help, Member member) {
  return number_setting<Set>(std::move(name), std::move(unit), std::move(help), member);
}

Setting<Set> advection() {
  return {
      "advection", "1", "semi-lagrangian (first order, the paper's) or mac-cormack (second order)",
      [](const Set& set) {
        return Value(set.options.advection == smoke::Advection::mac_cormack ? "mac-cormack"
                                                                            : "semi-lagrangian");
      },
      [](Set& set, const std::string& text) {
        if (text != "semi-lagrangian" && text != "mac-cormack")
          throw Error("--advection expects semi-lagrangian or mac-cormack, and '" + text + "' is neither");
        set.options.advection =
            text == "mac-cormack" ? smoke::Advection::mac_cormack : smoke::Advection::semi_lagrangian;
      }};
}

Setting<Set> precision() {
  return {"precision", "1", "double or float",
          [](const Set& set) { return Value(set.single ? "float" : "double"); },
          [](Set& set, const std::string& text) {
            if (text != "float" && text != "double")
              throw Error("--precision expects float or double, and '" + text + "' is neither");
            set.single = text == "float";
          }};
}

std::vector<Setting<Set>> make_settings() {
  return {
      number("cells", "1", "Cells along each side, even", [](Set& s) -> int& { return s.options.cells; }),
      number("length", "m", "Side of the box", [](Set& s) -> double& { return s.options.length; }),
      number("time-step", "s", "Length of a step", [](Set& s) -> double& { return s.options.time_step; }),
      number("viscosity", "m^2/s", "Kinematic viscosity",
             [](Set& s) -> double& { return s.options.viscosity; }),
      number("buoyancy", "m/s^2", "Upward acceleration of smoke 1",
             [](Set& s) -> double& { return s.options.buoyancy; }),
      advection(),
      number("diffusion-substeps", "1", "Of a step, for stability of strong diffusion",
             [](Set& s) -> int& { return s.options.diffusion_substeps; }),
      number("skip-steps", "1", "Steps before the first that may be stored",
             [](Set& s) -> int& { return s.options.skip_steps; }),
      number("steps", "1", "Steps after those", [](Set& s) -> int& { return s.options.steps; }),
      number("frame-every", "1", "Of those, every how many-th is stored",
             [](Set& s) -> int& { return s.options.frame_every; }),
      number("noise-scale", "m", "Of the initial smoke",
             [](Set& s) -> double& { return s.options.noise_scale; }),
      number("noise-smoothness", "1", "Of the initial smoke: amplitude (k^2)^-N",
             [](Set& s) -> int& { return s.options.noise_smoothness; }),
      number("seed", "1", "Of the whole set", [](Set& s) -> std::uint64_t& { return s.options.seed; }),
      precision(),
  };
}

template <class Real>
class Sink : public smoke::FrameSink<Real> {
 public:
  Sink(const Description& description, const Range& range, const TrajectoryDone& done)
      : description_(description), range_(range), done_(done) {}

  void frame(const smoke::Frame<Real>& frame) override {
    Trajectory& data = in_flight(frame.trajectory);
    const smoke::State<Real>& state = frame.state;
    std::size_t at = static_cast<std::size_t>(frame.frame) * description_.frame_points();
    for (int i = 0; i < state.cells; ++i) {
      for (int j = 0; j < state.cells; ++j, ++at) {
        data.fields[0][at] = static_cast<float>(state.smoke(i, j));
        data.fields[1][2 * at] = static_cast<float>(state.u(i, j));
        data.fields[1][2 * at + 1] = static_cast<float>(state.v(i, j));
      }
    }
  }

  void finished(const smoke::TrajectoryResult& result) override {
    Trajectory& data = in_flight(result.trajectory);
    if (!result.complete) {
      data.failed_step = result.failed_step;
      data.failed_field = result.failed_field;
    }
    const auto offset = static_cast<std::int64_t>(result.trajectory) - description_.number_of(range_.first);
    done_(range_.first + static_cast<int>(offset), data, result.complete ? "" : result.message());
    in_flight_.erase(result.trajectory);
  }

 private:
  Trajectory& in_flight(std::uint64_t number) {
    const auto [at, is_new] = in_flight_.try_emplace(number);
    if (is_new) at->second = empty_trajectory(description_);
    return at->second;
  }

  const Description& description_;
  const Range& range_;
  const TrajectoryDone& done_;
  std::map<std::uint64_t, Trajectory> in_flight_;
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
  d.options.push_back({"generator", std::string(kGenerator), "1"});
  for (std::size_t i = 0; i < 3; ++i) d.options.push_back({kSplitNames[i], std::int64_t{splits[i]}, "1"});
  d.failure_names = {"smoke", "velocity in x", "velocity in y"};
  d.splits = splits;
  return d;
}

Outcome generate(const Set& set, const SetOptions& options, const Observer& observer) {
  Description description = describe(set, options.splits);
  mark_part(description, options.first);
  return run_generation(description, options, observer, [&](const Range& range, const TrajectoryDone& done) {
    if (set.single)
      run_range<float>(set, options.threads, description, range, done);
    else
      run_range<double>(set, options.threads, description, range, done);
  });
}

}  // namespace gcan::data
