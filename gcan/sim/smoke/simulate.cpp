#include "gcan/sim/smoke/simulate.h"

#include "gcan/base/error.h"
#include "gcan/sim/shared_work.h"
#include "gcan/sim/smoke/initial.h"
#include "gcan/sim/smoke/solver.h"

namespace gcan::sim::smoke {
namespace {

template <class Real>
class Run {
 public:
  Run(const Job<Real>& job, FrameSink<Real>& sink) : job_(job), sink_(sink), work_(job.trajectories) {}

  std::vector<TrajectoryResult> operator()() {
    std::vector<TrajectoryResult> results(static_cast<std::size_t>(job_.trajectories));
    work_.run(job_.threads, [&] {
      Solver<Real> solver(job_.options);
      while (const auto i = work_.take()) {
        TrajectoryResult& result = results[static_cast<std::size_t>(*i)];
        result.trajectory = job_.first_trajectory + static_cast<std::uint64_t>(*i);
        run_trajectory(solver, result);
        work_.deliver([&] { sink_.finished(result); });
      }
    });
    return results;
  }

 private:
  void run_trajectory(Solver<Real>& solver, TrajectoryResult& result) {
    const Options& options = job_.options;
    State<Real> state(options.cells);
    if (job_.initial_smoke)
      job_.initial_smoke(result.trajectory, state.smoke);
    else
      random_smoke(options, result.trajectory, state.smoke);
    if (failed(state, 0, result)) return;
    for (int frame = 0, step = 0; frame < options.frames() && !work_.stopped(); ++frame) {
      while (step < options.frame_step(frame)) {
        solver.step(state);
        if (failed(state, ++step, result)) return;
      }
      work_.deliver([&] { sink_.frame({result.trajectory, frame, step, options.frame_time(frame), state}); });
    }
    result.complete = !work_.stopped();
  }

  static bool failed(const State<Real>& state, int step, TrajectoryResult& result) {
    const char* field = non_finite_field(state);
    if (!field) return false;
    result.failed_step = step;
    result.failed_field = field;
    return true;
  }

  const Job<Real>& job_;
  FrameSink<Real>& sink_;
  SharedWork work_;
};

}  // namespace

std::string TrajectoryResult::message() const {
  const std::string name = "trajectory " + std::to_string(trajectory);
  if (complete) return name + " is complete";
  if (failed_field.empty()) return name + " was not finished";
  return name + " stopped: " + failed_field + " is not finite " +
         (failed_step == 0 ? std::string("at the start") : "after step " + std::to_string(failed_step));
}

template <class Real>
std::vector<TrajectoryResult> simulate(const Job<Real>& job, FrameSink<Real>& sink) {
  validate(job.options);
  if (job.threads < 1)
    throw Error("smoke simulation: threads is " + std::to_string(job.threads) + "; it must be at least 1");
  if (job.trajectories < 0)
    throw Error("smoke simulation: trajectories is " + std::to_string(job.trajectories) +
                "; it must be 0 or above");
  return Run<Real>(job, sink)();
}

template std::vector<TrajectoryResult> simulate(const Job<float>&, FrameSink<float>&);
template std::vector<TrajectoryResult> simulate(const Job<double>&, FrameSink<double>&);

}  // namespace gcan::sim::smoke
