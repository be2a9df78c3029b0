#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gcan/sim/smoke/options.h"
#include "gcan/sim/smoke/state.h"

// gcan/sim/smoke: two-dimensional incompressible Navier-Stokes flow driven by the buoyancy of smoke in a
// closed box, the data of the paper's second fluid experiment. One physical concept per file: initial smoke,
// advection, buoyancy, diffusion, pressure; solver.h makes a time step of them, this header whole batches of
// trajectories. No tensors or files here: frames go to a FrameSink.
namespace gcan::sim::smoke {

// A frame of a trajectory. The state is only valid during the call that delivers it.
template <class Real>
struct Frame {
  std::uint64_t trajectory;
  int frame;    // 0 .. Options::frames()-1
  int step;     // solver steps done
  double time;  // of the solver since its start [s]
  const State<Real>& state;
};

// How a trajectory ended.
struct TrajectoryResult {
  std::uint64_t trajectory = 0;
  bool complete = false;  // all frames were delivered
  int failed_step = 0;    // if not complete: the step after which a field was not finite (0: the start)
  std::string failed_field;
  std::string message() const;  // one sentence for the user
};

// Receives frames during the simulation, so that no trajectory is kept in memory. Called by worker threads,
// but never concurrently. Frames of a trajectory arrive in order, interleaved with other trajectories. An
// exception stops the simulation and propagates to its caller.
template <class Real>
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void frame(const Frame<Real>& frame) = 0;
  virtual void finished(const TrajectoryResult& /*result*/) {}
};

// What to run. Trajectory numbers, not the order or number of threads, determine the random smoke: a run
// of trajectories 0..99 equals runs of 0..49 and 50..99.
template <class Real>
struct Job {
  Options options;
  std::uint64_t first_trajectory = 0;
  int trajectories = 1;
  int threads = 1;
  // Fills the initial smoke; called concurrently by worker threads. Empty: random_smoke().
  std::function<void(std::uint64_t trajectory, Field<Real>& smoke)> initial_smoke;
};

// Runs all trajectories, each on one thread, and returns how each ended, in order. A trajectory that becomes
// non-finite is stopped and reported; the others continue. Throws gcan::Error for invalid options before
// anything runs. Results do not depend on the number of threads nor on the processor's instruction set.
template <class Real>
std::vector<TrajectoryResult> simulate(const Job<Real>& job, FrameSink<Real>& sink);

}  // namespace gcan::sim::smoke
