#include "gcan/sim/smoke/simulate.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "gcan/base/error.h"
#include "gcan/sim/smoke/initial.h"
#include "gcan/sim/smoke/solver.h"

namespace gcan::sim::smoke {
namespace {

template <class Real>
class Run {
 public:
  Run(const Job<Real>& job, FrameSink<Real>& sink)
      : job_(job), sink_(sink), results_(static_cast<std::size_t>(job.trajectories)) {}

  std::vector<TrajectoryResult> operator()() {
    const int threads = std::min(job_.threads, std::max(job_.trajectories, 1));
    {
      std::vector<std::jthread> workers;
      for (int i = 1; i < threads; ++i) workers.emplace_back([this] { work(); });
      work();
    }
    if (error_) std::rethrow_exception(error_);
    return std::move(results_);
  }

 private:
  void work() {
    try {
      Solver<Real> solver(job_.options);
      for (int i = next_++; i < job_.trajectories && !stop_; i = next_++) {
        TrajectoryResult& result = results_[static_cast<std::size_t>(i)];
        result.trajectory = job_.first_trajectory + static_cast<std::uint64_t>(i);
        run_trajectory(solver, result);
        const std::lock_guard lock(mutex_);
        if (!stop_) sink_.finished(result);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
  }

  void run_trajectory(Solver<Real>& solver, TrajectoryResult& result) {
    const Options& options = job_.options;
    State<Real> state(options.cells);
    if (job_.initial_smoke)
      job_.initial_smoke(result.trajectory, state.smoke);
    else
      random_smoke(options, result.trajectory, state.smoke);
    if (failed(state, 0, result)) return;
    for (int frame = 0, step = 0; frame < options.frames() && !stop_; ++frame) {
      while (step < options.frame_step(frame)) {
        solver.step(state);
        if (failed(state, ++step, result)) return;
      }
      const std::lock_guard lock(mutex_);
      if (!stop_) sink_.frame({result.trajectory, frame, step, options.frame_time(frame), state});
    }
    result.complete = !stop_;
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
  std::vector<TrajectoryResult> results_;
  std::atomic<int> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;  // of sink_ and error_
  std::exception_ptr error_;
};

}  // namespace

std::string TrajectoryResult::message() const {
  const std::string name = "Trajectory " + std::to_string(trajectory);
  if (complete) return name + " is complete.";
  if (failed_field.empty()) return name + " was not finished.";
  return name + " stopped: " + failed_field + " is not finite " +
         (failed_step == 0 ? std::string("at the start.")
                           : "after step " + std::to_string(failed_step) + ".");
}

template <class Real>
std::vector<TrajectoryResult> simulate(const Job<Real>& job, FrameSink<Real>& sink) {
  validate(job.options);
  if (job.threads < 1)
    throw Error("smoke simulation: threads is " + std::to_string(job.threads) + "; it must be at least 1.");
  if (job.trajectories < 0)
    throw Error("smoke simulation: trajectories is " + std::to_string(job.trajectories) +
                "; it must be 0 or above.");
  return Run<Real>(job, sink)();
}

template std::vector<TrajectoryResult> simulate(const Job<float>&, FrameSink<float>&);
template std::vector<TrajectoryResult> simulate(const Job<double>&, FrameSink<double>&);

}  // namespace gcan::sim::smoke
