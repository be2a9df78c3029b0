// The simulators, which return whole sets of trajectories as tensors.

#include <torch/library.h>

#include <algorithm>

#include "gcan/base/error.h"
#include "gcan/sim.h"
#include "gcan/torch.h"

namespace gcan::operators {
namespace {

using torch::Tensor;

int integer(const char* what, std::int64_t value, std::int64_t least) {
  if (value < least || value > std::numeric_limits<int>::max()) {
    throw Error(std::string(what) + " is " + std::to_string(value) +
                ", expected a whole number of at least " + std::to_string(least));
  }
  return static_cast<int>(value);
}

int threads_of(std::int64_t threads) {
  return threads < 1 ? std::max(at::get_num_threads(), 1) : integer("threads", threads, 1);
}

// Positions and velocities, (count, steps, points, 3).
std::tuple<Tensor, Tensor> simulate_tetris(std::int64_t count, std::int64_t first, std::int64_t seed,
                                           std::int64_t steps, double max_angle, double max_offset,
                                           double rho, double sigma, std::int64_t orientation,
                                           std::int64_t translation, std::int64_t deformation,
                                           std::int64_t threads) {
  sim::tetris::Job job;
  const auto choice = [](const char* what, std::int64_t value, std::int64_t most) {
    if (value >= 0 && value <= most) return value;
    throw Error(std::string(what) + " is " + std::to_string(value) + ", expected 0 to " +
                std::to_string(most));
  };
  job.options.orientation = static_cast<sim::tetris::Orientation>(choice("orientation", orientation, 2));
  job.options.translation = static_cast<sim::tetris::Translation>(choice("translation", translation, 1));
  job.options.deformation = static_cast<sim::tetris::Deformation>(choice("deformation", deformation, 1));
  job.options.max_angle = max_angle;
  job.options.max_offset = max_offset;
  job.options.rho = rho;
  job.options.deformation_sigma = sigma;
  job.options.steps = integer("steps", steps, 1);
  job.options.seed = static_cast<std::uint64_t>(seed);
  job.first_trajectory = static_cast<std::uint64_t>(integer("first", first, 0));
  job.trajectories = static_cast<std::size_t>(integer("count", count, 1));
  job.threads = threads_of(threads);
  const Tensor positions = torch::empty({count, steps, static_cast<std::int64_t>(sim::tetris::kPoints), 3});
  const Tensor velocities = torch::empty_like(positions);
  sim::tetris::simulate(job, {positions.data_ptr<float>(), job.size()},
                        {velocities.data_ptr<float>(), job.size()});
  return {positions, velocities};
}

// Writes the frames of all trajectories into tensors.
class SmokeFrames : public sim::smoke::FrameSink<float> {
 public:
  SmokeFrames(std::int64_t count, std::int64_t first, const sim::smoke::Options& options)
      : smoke(torch::empty({count, options.frames(), options.cells, options.cells})),
        velocity(torch::empty({count, options.frames(), 2, options.cells, options.cells})),
        first_(first) {}

  void frame(const sim::smoke::Frame<float>& f) override {
    const auto trajectory = static_cast<std::int64_t>(f.trajectory) - first_;
    const auto plane = [](const Tensor& t) {
      return std::span<float>(t.data_ptr<float>(), static_cast<std::size_t>(t.numel()));
    };
    const std::span<float> to = plane(smoke[trajectory][f.frame]);
    std::size_t k = 0;
    for (int i = 0; i < f.state.cells; ++i) {
      for (int j = 0; j < f.state.cells; ++j) to[k++] = f.state.smoke(i, j);
    }
    sim::smoke::copy_left_faces(f.state, plane(velocity[trajectory][f.frame][0]));
    sim::smoke::copy_lower_faces(f.state, plane(velocity[trajectory][f.frame][1]));
  }

  Tensor smoke, velocity;

 private:
  std::int64_t first_;
};

// Smoke (count, frames, x, y) and velocity (count, frames, 2, x, y).
std::tuple<Tensor, Tensor> simulate_smoke(std::int64_t count, std::int64_t first, std::int64_t seed,
                                          std::int64_t cells, double length, double time_step,
                                          double viscosity, double buoyancy, std::int64_t skip_steps,
                                          std::int64_t steps, std::int64_t frame_every,
                                          std::int64_t threads) {
  sim::smoke::Job<float> job;
  auto& o = job.options;
  o.cells = integer("cells", cells, 1);
  o.length = length;
  o.time_step = time_step;
  o.viscosity = viscosity;
  o.buoyancy = buoyancy;
  o.skip_steps = integer("skip_steps", skip_steps, 0);
  o.steps = integer("steps", steps, 1);
  o.frame_every = integer("frame_every", frame_every, 1);
  o.seed = static_cast<std::uint64_t>(seed);
  job.first_trajectory = static_cast<std::uint64_t>(integer("first", first, 0));
  job.trajectories = integer("count", count, 1);
  job.threads = threads_of(threads);
  sim::smoke::validate(o);
  SmokeFrames frames(count, first, o);
  for (const auto& result : sim::smoke::simulate(job, frames)) {
    if (!result.complete) throw Error(result.message());
  }
  return {frames.smoke, frames.velocity};
}

// Height (count, frames, latitude, longitude) and wind (count, frames, 2, latitude, longitude), eastward and
// northward.
std::tuple<Tensor, Tensor> simulate_shallow_water(std::int64_t count, std::int64_t first, std::int64_t seed,
                                                  const std::string& preset, const std::string& initial,
                                                  std::int64_t truncation, std::int64_t frames,
                                                  double time_step, std::int64_t threads) {
  namespace water = sim::shallow_water;
  water::Options options = water::preset(preset);
  options.seed = static_cast<std::uint64_t>(seed);
  if (!initial.empty()) options.initial = water::initial_condition(initial);
  if (truncation > 0) water::set_truncation(options, integer("truncation", truncation, 1));
  if (frames > 0) options.frames = integer("frames", frames, 1);
  if (time_step > 0) options.time_step = time_step;
  water::validate(options);
  const std::vector<std::int64_t> sizes = {integer("count", count, 1), options.frames, options.latitudes,
                                           options.longitudes};
  const Tensor height = torch::empty(sizes);
  const Tensor wind = torch::empty({sizes[0], sizes[1], 2, sizes[2], sizes[3]});
  water::Callbacks callbacks;
  callbacks.frame = [&](const water::Frame& f) {
    const auto copy = [](const std::vector<double>& from, const Tensor& to) {
      std::transform(from.begin(), from.end(), to.data_ptr<float>(),
                     [](double x) { return static_cast<float>(x); });
    };
    const std::int64_t trajectory = f.trajectory - first;
    copy(f.fields.eta, height[trajectory][f.index]);
    copy(f.fields.u, wind[trajectory][f.index][0]);
    copy(f.fields.v, wind[trajectory][f.index][1]);
  };
  const int begin = integer("first", first, 0);
  for (const auto& status :
       water::simulate(options, begin, static_cast<int>(count), threads_of(threads), callbacks)) {
    if (!status.complete) throw Error(status.message);
  }
  return {height, wind};
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(gcan, library) {
  library.def(
      "simulate_tetris(int count, int first, int seed, int steps, float max_angle, float max_offset, float "
      "rho, float "
      "deformation_sigma, int orientation, int translation, int deformation, int threads) -> (Tensor, "
      "Tensor)",
      simulate_tetris);
  library.def(
      "simulate_smoke(int count, int first, int seed, int cells, float length, float time_step, float "
      "viscosity, float "
      "buoyancy, int skip_steps, int steps, int frame_every, int threads) -> (Tensor, Tensor)",
      simulate_smoke);
  library.def(
      "simulate_shallow_water(int count, int first, int seed, str preset, str initial, int truncation, int "
      "frames, "
      "float time_step, int threads) -> (Tensor, Tensor)",
      simulate_shallow_water);
}

}  // namespace gcan::operators
