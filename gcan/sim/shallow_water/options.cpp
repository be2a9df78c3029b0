#include "gcan/sim/shallow_water/options.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <utility>

#include "gcan/base/error.h"

namespace gcan::sim::shallow_water {
namespace {

template <typename... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  std::ostringstream message;
  message << "shallow water: ";
  (message << ... << parts);
  throw Error(message.str());
}

void require_positive(const char* name, double value, const char* unit) {
  if (!std::isfinite(value) || value <= 0)
    fail(name, " is ", value, ' ', unit, ", but must be a finite number above 0");
}

void require_not_negative(const char* name, double value, const char* unit) {
  if (!std::isfinite(value) || value < 0)
    fail(name, " is ", value, ' ', unit, ", but must be a finite number of at least 0 (0 switches it off)");
}

void require_between(const char* name, double value, double low, double high) {
  if (!(value >= low && value <= high))
    fail(name, " is ", value, ", but must lie between ", low, " and ", high);
}

void validate_grid(const Options& o) {
  if (o.truncation < 2 || o.truncation > 511)
    fail("the truncation is T", o.truncation,
         ", but must lie between T2 and T511 (whose tables take 0.8 GB)");
  if (o.latitudes < 2 || o.latitudes % 2 != 0)
    fail("the grid has ", o.latitudes,
         " latitudes, but their number must be even and at least 2, because each "
         "northern latitude is transformed together with its southern mirror image");
  if (o.longitudes < 4 || o.longitudes % 2 != 0)
    fail("the grid has ", o.longitudes, " longitudes, but their number must be even and at least 4");
  // Products of two fields of degree T against a third must be integrated exactly, or energy piles up at the
  // smallest scales and the run blows up.
  if (3 * o.truncation + 1 > o.longitudes)
    fail("truncation T", o.truncation, " needs at least ", 3 * o.truncation + 1,
         " longitudes, but the grid has ", o.longitudes, "; lower the truncation to T",
         (o.longitudes - 1) / 3, " or take a finer grid");
  if (3 * o.truncation + 1 > 2 * o.latitudes)
    fail("truncation T", o.truncation, " needs at least ", (3 * o.truncation + 2) / 2,
         " latitudes, but the grid has ", o.latitudes, "; lower the truncation to T",
         (2 * o.latitudes - 1) / 3, " or take a finer grid");
}

// Whether a Fourier transform of this length is fast.
bool has_small_factors(int n) {
  for (const int factor : {2, 3, 5}) {
    while (n % factor == 0) n /= factor;
  }
  return n == 1;
}

// The largest known wind of the start [m/s].
double expected_wind(const Options& o) {
  switch (o.initial) {
    case InitialCondition::kRest: return 0;
    case InitialCondition::kRandom2: return 30;
    case InitialCondition::kGalewsky: return o.jet.speed[1];
    case InitialCondition::kRandomVorticity: return 3 * o.random_wind;
    case InitialCondition::kWilliamson2: return 40;
    case InitialCondition::kWilliamson5: return 40;
    case InitialCondition::kWilliamson6: return 100;
  }
  return 0;
}

void validate_time(const Options& o) {
  require_positive("the time step", o.time_step, "s");
  if (o.frames < 1) fail("a trajectory has ", o.frames, " frames, but must have at least 1");
  if (o.first_frame < 1) fail("the second frame is at step ", o.first_frame, ", but must be at least at 1");
  if (o.frame_interval < 1)
    fail("frames are ", o.frame_interval, " steps apart, but must be at least 1 apart");
  require_between("the implicit weight", o.implicit_weight, 0.5, 1);
  require_between("the Robert filter", o.robert_filter, 0, 1);
  require_between("the Williams filter", o.williams_filter, 0, 1);
  // Gravity waves are implicit and stable at any step. Inertial waves of frequency 2 Omega are not.
  const double inertial = 2 * std::abs(o.planet.rotation) * o.time_step;
  if (inertial >= 1)
    fail("a time step of ", o.time_step, " s is unstable: inertial waves need it below 1 / (2 rotation) = ",
         1 / (2 * std::abs(o.planet.rotation)), " s");
  // Advection by wind U changes the phase of the shortest wave by U dt T / R per step; leapfrog allows 1.
  // Measured with the presets' filter and diffusion: at 1.0 jets and random flow at T31, T62 and T127 run for
  // ten days, at 1.5 most of them blow up.
  const double wind = expected_wind(o);
  if (wind * o.time_step * o.truncation > o.planet.radius)
    fail("a time step of ", o.time_step, " s is unstable: with winds of ", wind, " m/s at T", o.truncation,
         " it must be at most ", o.planet.radius / (wind * o.truncation), " s");
}

void validate_physics(const Options& o) {
  require_positive("the radius", o.planet.radius, "m");
  require_positive("gravity", o.planet.gravity, "m/s^2");
  require_positive("the mean depth", o.planet.mean_depth, "m");
  if (!std::isfinite(o.planet.rotation)) fail("the rotation is not a finite number");
  require_not_negative("the time scale of the diffusion (its inverse is the viscosity at the truncation)",
                       o.diffusion.time_scale, "s");
  if (o.diffusion.power < 1 || o.diffusion.power > 16)
    fail("the diffusion is a power ", o.diffusion.power,
         " of the Laplacian, but must be one between 1 and 16");
  const Forcing& forcing = o.forcing;
  require_not_negative("the time scale of the drag", forcing.drag_time, "s");
  require_not_negative("the time scale of the relaxation", forcing.relaxation_time, "s");
  if (!std::isfinite(forcing.relaxation_height)) fail("the height of the relaxation is not a finite number");
  if (forcing.relaxation_time > 0 && forcing.relaxation_time < 2 * o.time_step)
    fail("the time scale of the relaxation is ", forcing.relaxation_time,
         " s, but must be at least two time steps (", 2 * o.time_step, " s), or it overshoots");
  require_not_negative("the strength of the stirring", forcing.stirring, "1/s^2");
  if (forcing.stirring > 0) {
    require_positive("the decorrelation time of the stirring", forcing.stirring_time, "s");
    if (forcing.stirring_first < 1 || forcing.stirring_last < forcing.stirring_first ||
        forcing.stirring_last > o.truncation)
      fail("stirring acts on degrees ", forcing.stirring_first, " to ", forcing.stirring_last,
           ", but they must lie in this order between 1 and the truncation ", o.truncation);
  }
}

void validate_start(const Options& o) {
  const auto range = [](const char* name, const double(&bounds)[2], double low, double high) {
    require_between(name, bounds[0], low, high);
    require_between(name, bounds[1], low, high);
    if (bounds[0] > bounds[1]) fail(name, " has a range from ", bounds[0], " down to ", bounds[1]);
  };
  range("the speed of the jet (m/s)", o.jet.speed, 0, 300);
  range("the latitude of the jet (degrees)", o.jet.latitude, -60, 60);
  range("the height of the bump (m)", o.jet.bump, -1000, 1000);
  range("the longitude of the bump (degrees)", o.jet.bump_longitude, -360, 360);
  require_between("the wind of the random vorticity (m/s)", o.random_wind, 0, 200);
  if (o.initial == InitialCondition::kRandomVorticity &&
      (o.random_degree < 1 || o.random_degree > o.truncation))
    fail("the random vorticity peaks at degree ", o.random_degree,
         ", but must do so between 1 and the truncation ", o.truncation);
  if (o.initial == InitialCondition::kRandom2 && (o.truncation < 14 || o.longitudes % o.latitudes != 0))
    fail(
        "the start 'random2' needs a truncation of at least T14 and a whole number of latitudes' lengths in "
        "a "
        "circle, but the grid is T",
        o.truncation, " on ", o.latitudes, " x ", o.longitudes);
}

void validate_orography(const Options& o) {
  if (o.orography != Orography::kGiven) return;
  const std::size_t points = static_cast<std::size_t>(o.latitudes) * static_cast<std::size_t>(o.longitudes);
  if (o.orography_height.size() != points)
    fail("the orography has ", o.orography_height.size(), " values, but the grid of ", o.latitudes, " x ",
         o.longitudes, " has ", points, " points");
  for (const double height : o.orography_height) {
    if (!std::isfinite(height)) fail("the orography holds a value that is not a finite number");
    if (height >= o.planet.mean_depth)
      fail("the orography reaches ", height, " m, but must stay below the mean depth of ",
           o.planet.mean_depth, " m");
  }
}

constexpr std::pair<InitialCondition, std::string_view> kInitialNames[] = {
    {InitialCondition::kRest, "rest"},
    {InitialCondition::kRandom2, "random2"},
    {InitialCondition::kGalewsky, "galewsky"},
    {InitialCondition::kRandomVorticity, "random-vorticity"},
    {InitialCondition::kWilliamson2, "williamson2"},
    {InitialCondition::kWilliamson5, "williamson5"},
    {InitialCondition::kWilliamson6, "williamson6"},
};

}  // namespace

InitialCondition initial_condition(std::string_view name) {
  std::string known;
  for (const auto& [initial, its_name] : kInitialNames) {
    if (name == its_name) return initial;
    known += (known.empty() ? "" : ", ") + std::string(its_name);
  }
  fail("there is no start '", name, "'; take one of ", known);
}

std::string_view name_of(InitialCondition initial) {
  for (const auto& [candidate, name] : kInitialNames)
    if (candidate == initial) return name;
  return "unknown";
}

Options paper_preset() { return {}; }

Options small_preset() {
  Options options;
  set_truncation(options, 31);
  options.frames = 22;
  return options;
}

Options preset(std::string_view name) {
  if (name == "paper") return paper_preset();
  if (name == "small") return small_preset();
  fail("there is no preset '", name, "'; take 'paper' or 'small'");
}

void set_truncation(Options& options, int truncation) {
  int longitudes = 3 * truncation + 1;
  while (longitudes % 4 != 0 || !has_small_factors(longitudes)) ++longitudes;
  options.truncation = truncation;
  options.longitudes = longitudes;
  options.latitudes = longitudes / 2;
}

void validate(const Options& options) {
  validate_grid(options);
  validate_physics(options);
  validate_time(options);
  validate_start(options);
  validate_orography(options);
}

std::vector<int> frame_steps(const Options& options) {
  std::vector<int> steps{0};
  for (int frame = 1; frame < options.frames; ++frame)
    steps.push_back(options.first_frame + (frame - 1) * options.frame_interval);
  return steps;
}

}  // namespace gcan::sim::shallow_water
