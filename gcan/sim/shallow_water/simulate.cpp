#include "gcan/sim/shallow_water/simulate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <sstream>
#include <thread>

#include "gcan/base/error.h"
#include "gcan/sim/shallow_water/initial_conditions.h"
#include "gcan/sim/shallow_water/orography.h"
#include "gcan/sim/shallow_water/stirring.h"
#include "gcan/sim/shared_work.h"

namespace gcan::sim::shallow_water {
namespace {

// The name of a field with implausible values, or empty: a root-mean-square vorticity or divergence of
// gravity-wave speed at the truncation scale, or a surface displacement of the depth.
std::string unstable_field(const Options& options, const LevelNorms& norms) {
  const Planet& planet = options.planet;
  const double rate = std::sqrt(planet.gravity * planet.mean_depth) * options.truncation / planet.radius;
  const auto lost = [](double sum_of_squares, double limit) {
    const double rms = std::sqrt(sum_of_squares / (4 * std::numbers::pi));
    return !std::isfinite(rms) || rms > limit;
  };
  if (lost(norms.vorticity, rate)) return "vorticity";
  if (lost(norms.divergence, rate)) return "divergence";
  if (lost(norms.eta, planet.mean_depth)) return "eta";
  return {};
}

template <typename T>
bool runs_dry(const Model<T>& model, const GridFields& fields) {
  for (std::size_t i = 0; i < fields.eta.size(); ++i) {
    if (fields.eta[i] + model.options().planet.mean_depth <= model.orography()[i]) return true;
  }
  return false;
}

void mark_failed(TrajectoryStatus& status, int step, const std::string& field) {
  status.failed_step = step;
  status.failed_field = field;
  std::ostringstream message;
  message << "trajectory " << status.trajectory << " became unstable at step " << step << " in the field "
          << field << "; its frames up to there are valid; try a smaller time step or a stronger diffusion";
  status.message = message.str();
}

template <typename T>
class Run {
 public:
  Run(const Options& options, int first, int count, const Callbacks& callbacks)
      : model_(options),
        frames_(frame_steps(options)),
        first_(first),
        callbacks_(callbacks),
        status_(static_cast<std::size_t>(count)),
        work_(count) {}

  std::vector<TrajectoryStatus> operator()(int threads) {
    work_.run(threads, [&] {
      while (const auto i = work_.take()) {
        TrajectoryStatus& status = status_[static_cast<std::size_t>(*i)];
        status.trajectory = first_ + *i;
        run_trajectory(status);
        work_.deliver([&] {
          if (callbacks_.done) callbacks_.done(status);
        });
      }
    });
    return std::move(status_);
  }

 private:
  void run_trajectory(TrajectoryStatus& status) {
    base::Random random(model_.options().seed, static_cast<std::uint64_t>(status.trajectory));
    Start<T> start = initial_level(model_, random);
    status.parameters = std::move(start.parameters);
    State<T> state = model_.start(start.level);
    GridFields fields;
    for (const int frame_step : frames_) {
      while (state.step < frame_step) {
        if (work_.stopped()) return;
        stir(model_, state, random);
        model_.advance(state);
        const std::string field = unstable_field(model_.options(), state.norms);
        if (!field.empty()) return mark_failed(status, state.step, field);
      }
      if (!hand_out(state, fields, status)) return;
    }
    status.complete = true;
  }

  // Delivers the state as a frame; false if it is invalid.
  bool hand_out(State<T>& state, GridFields& fields, TrajectoryStatus& status) {
    model_.on_grid(state.new_level, state, fields);
    if (runs_dry(model_, fields)) {
      mark_failed(status, state.step, "depth");
      return false;
    }
    const double time = state.step * model_.options().time_step;
    return work_.deliver([&] {
      if (callbacks_.frame) callbacks_.frame({status.trajectory, status.frames, state.step, time, fields});
      ++status.frames;
    });
  }

  const Model<T> model_;
  const std::vector<int> frames_;
  const int first_;
  const Callbacks& callbacks_;
  std::vector<TrajectoryStatus> status_;
  SharedWork work_;
};

}  // namespace

GridDescription describe(const Options& options) {
  validate(options);
  const GaussLegendre rule = gauss_legendre(options.latitudes);
  GridDescription grid;
  for (std::size_t row = 0; row < rule.nodes.size(); ++row) {
    grid.latitudes.push_back(std::asin(rule.nodes[row]) * 180 / std::numbers::pi);
    grid.area.push_back(rule.weights[row] / (2 * options.longitudes));
  }
  for (int i = 0; i < options.longitudes; ++i) grid.longitudes.push_back(360.0 * i / options.longitudes);
  grid.orography = orography_on_grid(options, rule);
  grid.frame_steps = frame_steps(options);
  for (const int step : grid.frame_steps) grid.frame_times.push_back(step * options.time_step);
  return grid;
}

std::vector<TrajectoryStatus> simulate(const Options& options, int first, int count, int threads,
                                       const Callbacks& callbacks) {
  validate(options);
  if (first < 0 || count < 0 || threads < 0)
    throw Error(
        "shallow water: the first trajectory, their number and the number of threads must not be negative");
  if (threads == 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (options.precision == Precision::kFloat) return Run<float>(options, first, count, callbacks)(threads);
  return Run<double>(options, first, count, callbacks)(threads);
}

}  // namespace gcan::sim::shallow_water
