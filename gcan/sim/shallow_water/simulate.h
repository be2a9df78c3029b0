#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gcan/sim/shallow_water/model.h"
#include "gcan/sim/shallow_water/options.h"

// gcan::sim::shallow_water: the rotating shallow-water equations on the sphere, spectral in space,
// semi-implicit leapfrog in time; generates the weather data sets. Depends only on the standard library and
// Highway. Entry point: fill Options, call simulate().
namespace gcan::sim::shallow_water {

// Data common to all trajectories.
struct GridDescription {
  std::vector<double> latitudes;    // from north to south [degrees]
  std::vector<double> longitudes;   // from 0 eastwards [degrees]
  std::vector<double> area;         // of a grid point in each row, as a fraction of the sphere [1]
  std::vector<double> orography;    // [latitude][longitude] [m]
  std::vector<int> frame_steps;     // [1]
  std::vector<double> frame_times;  // true time of each frame since the start [s]
};
GridDescription describe(const Options& options);

// A stored frame of a trajectory; the fields are valid until the callback returns.
struct Frame {
  int trajectory;
  int index;    // counts from 0, the start
  int step;     // time steps since the start
  double time;  // [s]
  const GridFields& fields;
};

struct TrajectoryStatus {
  int trajectory = 0;
  bool complete = false;
  int frames = 0;        // delivered
  int failed_step = -1;  // where an instability stopped the trajectory
  std::string failed_field;
  std::string message;             // a sentence for the user; empty if complete
  std::vector<double> parameters;  // of its random start, see parameter_names()
};

// Called by worker threads, but never concurrently. Frames of a trajectory arrive in order, interleaved with
// other trajectories. An exception from a callback stops the simulation and propagates from simulate().
struct Callbacks {
  std::function<void(const Frame&)> frame;
  std::function<void(const TrajectoryStatus&)> done;
};

// Runs trajectories first .. first + count - 1 of the set that the options describe on `threads` threads (0:
// one per core). Trajectory i depends only on the options and i, not on the number of threads or on other
// trajectories, and is bit-for-bit reproducible; instruction sets without fused multiply-add differ by
// rounding. An instability ends its trajectory, not the run. Error for invalid options.
std::vector<TrajectoryStatus> simulate(const Options& options, int first, int count, int threads,
                                       const Callbacks& callbacks);

}  // namespace gcan::sim::shallow_water
