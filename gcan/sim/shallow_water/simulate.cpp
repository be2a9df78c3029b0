#include "gcan/sim/shallow_water/simulate.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <numbers>
#include <sstream>
#include <thread>

#include "gcan/base/error.h"
#include "gcan/sim/shallow_water/initial_conditions.h"
#include "gcan/sim/shallow_water/orography.h"
#include "gcan/sim/shallow_water/stirring.h"

namespace gcan::sim::shallow_water {
namespace {

// Shared by the working threads.
struct Run {
  int first;
  int count;
  const Callbacks& callbacks;
  std::vector<TrajectoryStatus> status;
  std::atomic<int> next = 0;
  std::mutex mutex;  // held during a callback
  std::exception_ptr failure;
  std::atomic<bool> stop = false;
};

// Name of the field that has left the range of sense, or empty. A flow whose root-mean-square vorticity or
// divergence is that of gravity-wave speed at the truncation scale, or whose surface moves by its depth, is
// lost.
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
  message << "Trajectory " << status.trajectory << " became unstable at step " << step << " in the field "
          << field
          << "; its frames up to there are valid. A smaller time step or a stronger diffusion helps.";
  status.message = message.str();
}

// Hands out the state as a frame; false if it has lost its meaning.
template <typename T>
bool hand_out(const Model<T>& model, State<T>& state, GridFields& fields, Run& run,
              TrajectoryStatus& status) {
  model.on_grid(state.new_level, state, fields);
  if (runs_dry(model, fields)) {
    mark_failed(status, state.step, "depth");
    return false;
  }
  const Frame frame{status.trajectory, status.frames, state.step, state.step * model.options().time_step,
                    fields};
  const std::lock_guard lock(run.mutex);
  if (run.stop) return false;
  if (run.callbacks.frame) run.callbacks.frame(frame);
  ++status.frames;
  return true;
}

template <typename T>
void run_trajectory(const Model<T>& model, const std::vector<int>& frames, Run& run,
                    TrajectoryStatus& status) {
  Random random(model.options().seed, static_cast<std::uint64_t>(status.trajectory));
  Start<T> start = initial_level(model, random);
  status.parameters = std::move(start.parameters);
  State<T> state = model.start(start.level);
  GridFields fields;
  for (const int frame_step : frames) {
    while (state.step < frame_step) {
      if (run.stop) return;
      stir(model, state, random);
      model.advance(state);
      const std::string field = unstable_field(model.options(), state.norms);
      if (!field.empty()) return mark_failed(status, state.step, field);
    }
    if (!hand_out(model, state, fields, run, status)) return;
  }
  status.complete = true;
}

template <typename T>
void work(const Model<T>& model, Run& run) {
  const std::vector<int> frames = frame_steps(model.options());
  try {
    for (int i = run.next++; i < run.count && !run.stop; i = run.next++) {
      TrajectoryStatus& status = run.status[static_cast<std::size_t>(i)];
      status.trajectory = run.first + i;
      run_trajectory(model, frames, run, status);
      const std::lock_guard lock(run.mutex);
      if (!run.stop && run.callbacks.done) run.callbacks.done(status);
    }
  } catch (...) {
    const std::lock_guard lock(run.mutex);
    if (!run.failure) run.failure = std::current_exception();
    run.stop = true;
  }
}

template <typename T>
void run_all(const Options& options, int threads, Run& run) {
  const Model<T> model(options);
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back([&] { work(model, run); });
  work(model, run);
}

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
        "Shallow water: the first trajectory, their number and the number of threads must not be negative.");
  Run run{first, count, callbacks, std::vector<TrajectoryStatus>(static_cast<std::size_t>(count)),
          {},    {},    {},        {}};
  if (threads == 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  threads = std::min(threads, std::max(count, 1));
  if (options.precision == Precision::kFloat) {
    run_all<float>(options, threads, run);
  } else {
    run_all<double>(options, threads, run);
  }
  if (run.failure) std::rethrow_exception(run.failure);
  return std::move(run.status);
}

}  // namespace gcan::sim::shallow_water
