#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "gcan/base/error.h"
#include "gcan/base/numbers.h"
#include "gcan/data/generate.h"
#include "gcan/data/generation.h"
#include "gcan/sim/shallow_water/initial_conditions.h"
#include "gcan/sim/shallow_water/simulate.h"

namespace gcan::data {
namespace {

namespace sw = sim::shallow_water;
using config::Setting;
using Set = ShallowWaterSet;

template <class Member>
Setting<Set> number(const std::string& name, std::string unit, std::string help, Member member) {
  return config::number_setting<Set>(name, std::move(unit), std::move(help), member);
}

// A setting whose text needs its own parser.
Setting<Set> text(const std::string& name, std::string unit, std::string help,
                  const std::function<std::string(const Set&)>& get,
                  const std::function<void(Set&, const std::string&)>& set) {
  return {{name, get(Set{}), std::move(help), {}, -config::kNoLimit, config::kNoLimit, std::move(unit)},
          [get](const Set& from) { return Value(get(from)); },
          [set](Set& to, const Value& value) { set(to, std::get<std::string>(value)); }};
}

double bound(const std::string& name, const std::string& words) {
  if (const auto number = base::parse_number<double>(words)) return *number;
  throw Error("--" + name + " expects a number or LOW,HIGH, not '" + words + "'");
}

// "LOW,HIGH" or one number for both.
Setting<Set> range(const std::string& name, const std::string& unit, const std::string& help,
                   double (sw::JetRanges::*member)[2]) {
  return text(
      name, unit, help + ", LOW,HIGH or one number",
      [member](const Set& set) {
        const auto& bounds = set.options.jet.*member;
        return fmt::format("{},{}", bounds[0], bounds[1]);
      },
      [member, name](Set& set, const std::string& words) {
        const auto comma = words.find(',');
        auto& bounds = set.options.jet.*member;
        bounds[0] = bound(name, words.substr(0, comma));
        bounds[1] = comma == std::string::npos ? bounds[0] : bound(name, words.substr(comma + 1));
      });
}

// Heights on the grid, in an HDF5 or NetCDF-4 file.
std::vector<double> heights_in(const std::string& path) {
  const Hdf5File file(path, Hdf5File::Mode::kRead);
  if (!file.has("orography"))
    throw Error(
        path +
        ": there is no dataset 'orography' with heights in metres, [latitude][longitude] from the north");
  return file.read<double>("orography");
}

Setting<Set> orography() {
  return text(
      "orography", "1", "Orography: flat, mountain (Williamson 5) or a file with a dataset 'orography' (m)",
      [](const Set& set) -> std::string {
        switch (set.options.orography) {
          case sw::Orography::kFlat: return "flat";
          case sw::Orography::kMountain: return "mountain";
          case sw::Orography::kGiven: break;
        }
        double sum = 0;  // identifies the heights, which are stored in t0_fields
        for (const double height : set.options.orography_height) sum = std::fma(sum, 0.9990234375, height);
        return fmt::format("given, digest {}", sum);
      },
      [](Set& set, const std::string& words) {
        set.options.orography = words == "flat"       ? sw::Orography::kFlat
                                : words == "mountain" ? sw::Orography::kMountain
                                                      : sw::Orography::kGiven;
        if (set.options.orography == sw::Orography::kGiven) set.options.orography_height = heights_in(words);
      });
}

Setting<Set> initial() {
  return text(
      "initial", "1",
      "Initial condition: random2 (as in the public data), galewsky, random-vorticity, williamson2, "
      "williamson5, williamson6 or rest",
      [](const Set& set) { return std::string(sw::name_of(set.options.initial)); },
      [](Set& set, const std::string& words) {
        set.options.initial = sw::initial_condition(words);
        // The test's flow is defined with its mountain.
        if (set.options.initial == sw::InitialCondition::kWilliamson5)
          set.options.orography = sw::Orography::kMountain;
      });
}

Setting<Set> truncation() {
  auto setting = number("truncation", "1", "Largest total wavenumber T; also sets the matching grid",
                        [](Set& s) -> int& { return s.options.truncation; });
  setting.set = [plain = setting.set](Set& set, const Value& value) {
    // validate() rejects larger values; their grid would overflow before.
    constexpr std::int64_t kLargest = 100'000;
    const auto wanted = std::get<std::int64_t>(value);
    if (wanted > 0 && wanted < kLargest) sw::set_truncation(set.options, static_cast<int>(wanted));
    plain(set, value);
  };
  return setting;
}

std::vector<Setting<Set>> make_settings() {
  return {
      initial(),
      truncation(),
      number("latitudes", "1", "Gauss-Legendre latitudes",
             [](Set& s) -> int& { return s.options.latitudes; }),
      number("longitudes", "1", "Points per circle of latitude",
             [](Set& s) -> int& { return s.options.longitudes; }),
      number("time-step", "s", "Length of a step", [](Set& s) -> double& { return s.options.time_step; }),
      number("frames", "1", "Stored frames, including the initial one",
             [](Set& s) -> int& { return s.options.frames; }),
      number("first-frame", "1", "Steps from the start to the second frame",
             [](Set& s) -> int& { return s.options.first_frame; }),
      number("frame-interval", "1", "Steps between the frames after that",
             [](Set& s) -> int& { return s.options.frame_interval; }),
      number("implicit-weight", "1", "Implicit weight of gravity waves: 0.5 (centred) to 1 (backward)",
             [](Set& s) -> double& { return s.options.implicit_weight; }),
      number("robert-filter", "1", "Strength of the Robert-Asselin time filter",
             [](Set& s) -> double& { return s.options.robert_filter; }),
      number("williams-filter", "1", "Share of the filter on the middle level; 1 is the classical filter",
             [](Set& s) -> double& { return s.options.williams_filter; }),
      number("radius", "m", "Radius of the planet",
             [](Set& s) -> double& { return s.options.planet.radius; }),
      number("rotation", "1/s", "Angular velocity of the planet",
             [](Set& s) -> double& { return s.options.planet.rotation; }),
      number("gravity", "m/s^2", "Acceleration", [](Set& s) -> double& { return s.options.planet.gravity; }),
      number("mean-depth", "m", "Depth H0 of the layer at rest over flat ground",
             [](Set& s) -> double& { return s.options.planet.mean_depth; }),
      number("diffusion-power", "1", "Power of the Laplacian in the diffusion; 4 is 8th order",
             [](Set& s) -> int& { return s.options.diffusion.power; }),
      number("diffusion-time", "s", "Time scale of the diffusion at the truncation; 0: off",
             [](Set& s) -> double& { return s.options.diffusion.time_scale; }),
      number("drag-time", "s", "Time scale of linear drag; 0: off",
             [](Set& s) -> double& { return s.options.forcing.drag_time; }),
      number("relaxation-time", "s", "Time scale in which the surface relaxes to its target; 0: off",
             [](Set& s) -> double& { return s.options.forcing.relaxation_time; }),
      number("relaxation-height", "m", "Target height difference between equator and pole",
             [](Set& s) -> double& { return s.options.forcing.relaxation_height; }),
      number("stirring", "1/s^2", "Standard deviation of the random vorticity source; 0: off",
             [](Set& s) -> double& { return s.options.forcing.stirring; }),
      number("stirring-time", "s", "Decorrelation time of the source",
             [](Set& s) -> double& { return s.options.forcing.stirring_time; }),
      number("stirring-first", "1", "First degree of the source",
             [](Set& s) -> int& { return s.options.forcing.stirring_first; }),
      number("stirring-last", "1", "Last degree of the source",
             [](Set& s) -> int& { return s.options.forcing.stirring_last; }),
      orography(),
      range("jet-speed", "m/s", "galewsky: largest wind", &sw::JetRanges::speed),
      range("jet-latitude", "degrees", "galewsky: centre of the jet", &sw::JetRanges::latitude),
      range("jet-bump", "m", "galewsky: height of the perturbation", &sw::JetRanges::bump),
      range("jet-bump-longitude", "degrees", "galewsky: position of the perturbation",
            &sw::JetRanges::bump_longitude),
      number("random-wind", "m/s", "random-vorticity: root-mean-square wind",
             [](Set& s) -> double& { return s.options.random_wind; }),
      number("random-degree", "1", "random-vorticity: degree at which the spectrum peaks",
             [](Set& s) -> int& { return s.options.random_degree; }),
      number("seed", "1", "Seed of the data set", [](Set& s) -> std::uint64_t& { return s.options.seed; }),
      config::choice_setting<Set>(
          "precision", "double, or float: half the time, relative error 1e-5 after a trajectory",
          {"double", "float"}, [](Set& s) -> sw::Precision& { return s.options.precision; }),
      config::choice_setting<Set>("store-vorticity", "Whether to store the vorticity too", {"no", "yes"},
                                  [](Set& s) -> bool& { return s.store_vorticity; }),
  };
}

std::vector<Parameter> constants_of(const sw::Options& o) {
  return {{"mean_depth", o.planet.mean_depth, "m"},
          {"gravity", o.planet.gravity, "m/s^2"},
          {"rotation", o.planet.rotation, "1/s"},
          {"radius", o.planet.radius, "m"},
          {"time_step", o.time_step, "s"},
          {"diffusion_time", o.diffusion.time_scale, "s"},
          {"diffusion_power", static_cast<double>(o.diffusion.power), "1"},
          {"drag_time", o.forcing.drag_time, "s"},
          {"relaxation_time", o.forcing.relaxation_time, "s"},
          {"relaxation_height", o.forcing.relaxation_height, "m"},
          {"stirring", o.forcing.stirring, "1/s^2"}};
}

// Collects the frames of running trajectories.
class Collector {
 public:
  Collector(const Description& description, const Range& range, const TrajectoryDone& done)
      : running_(description, range, done) {}

  void frame(const sw::Frame& frame) {
    Trajectory& data = running_.at(frame.trajectory);
    const std::size_t points = running_.description().frame_points(),
                      at = static_cast<std::size_t>(frame.index) * points;
    for (std::size_t i = 0; i < points; ++i) {
      data.fields[0][at + i] = static_cast<float>(frame.fields.eta[i]);
      data.fields[1][2 * (at + i)] = static_cast<float>(frame.fields.u[i]);
      data.fields[1][2 * (at + i) + 1] = static_cast<float>(frame.fields.v[i]);
      if (data.fields.size() > 2) data.fields[2][at + i] = static_cast<float>(frame.fields.vorticity[i]);
    }
  }

  void finished(const sw::TrajectoryStatus& status) {
    Trajectory& data = running_.at(status.trajectory);
    for (std::size_t i = 0; i < std::min(data.start.size(), status.parameters.size()); ++i)
      data.start[i] = status.parameters[i];
    running_.finish(status.trajectory, status.complete ? -1 : status.failed_step, status.failed_field,
                    status.message);
  }

 private:
  RunningTrajectories running_;
};

}  // namespace

const std::vector<Setting<Set>>& shallow_water_settings() {
  static const auto settings = make_settings();
  return settings;
}

Description describe(const Set& set, const std::array<int, 3>& splits) {
  const sw::GridDescription grid = sw::describe(set.options);
  Description d;
  d.dataset = "shallow-water";
  d.grid_type = "spherical";
  d.space = {Axis{"latitude", "degrees_north", grid.latitudes, "OPEN"},
             Axis{"longitude", "degrees_east", grid.longitudes, "PERIODIC"}};
  d.area = grid.area;
  d.frame_times = grid.frame_times;
  d.frame_steps.assign(grid.frame_steps.begin(), grid.frame_steps.end());
  d.fields = {{"eta",
               "m",
               {},
               "displacement of the surface, depth = mean_depth + eta - orography; the public "
               "data's 'pres'; at grid points"},
              {"velocity", "m/s", {"u", "v"}, "wind eastward (u) and northward (v); at grid points"}};
  if (set.store_vorticity) d.fields.push_back({"vorticity", "1/s", {}, "relative vorticity; at grid points"});
  d.static_fields = {{"orography", "m", grid.orography}};
  d.constants = constants_of(set.options);
  d.options = recorded(shallow_water_settings(), set);
  record_run(d, splits);
  d.start_names = sw::parameter_names(set.options.initial);
  d.failure_names = {"vorticity", "divergence", "eta", "depth"};
  return d;
}

Outcome generate(const Set& set, const SetOptions& options, const Observer& observer) {
  Description description = describe(set, options.splits);
  mark_part(description, options);
  return run_generation(description, options, observer, [&](const Range& range, const TrajectoryDone& done) {
    Collector collector(description, range, done);
    sw::simulate(set.options, static_cast<int>(description.number_of(range.first)), range.count,
                 options.threads,
                 {[&](const sw::Frame& frame) { collector.frame(frame); },
                  [&](const sw::TrajectoryStatus& status) { collector.finished(status); }});
  });
}

}  // namespace gcan::data
