#pragma once

// Runs a simulator into a file, for all field simulators.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "gcan/data/generate.h"

namespace gcan::data {

// Identifies the random number generator. Recorded, so that a file is never resumed with a different one.
inline constexpr const char* kGenerator = "philox4x32, Box-Muller";

// Prefixes of a split's name: the options of a part with the number of preceding trajectories, and with that
// of the whole set.
inline constexpr const char* kFirstOfPart = "first_";
inline constexpr const char* kWholeOfPart = "whole_";

using TrajectoryDone = std::function<void(int trajectory, const Trajectory&, const std::string& failure)>;
using RangeRunner = std::function<void(const Range&, const TrajectoryDone&)>;

// The trajectories of a range that are being simulated, by the simulator's number.
class RunningTrajectories {
 public:
  RunningTrajectories(const Description& description, const Range& range, const TrajectoryDone& done)
      : description_(description), range_(range), done_(done) {}

  const Description& description() const { return description_; }
  Trajectory& at(std::int64_t number);  // NaN everywhere at first
  // Reports the trajectory and forgets it. `failed_step` is -1 if it is complete.
  void finish(std::int64_t number, int failed_step, const std::string& failed_field,
              const std::string& message);

 private:
  const Description& description_;
  const Range& range_;
  const TrajectoryDone& done_;
  std::map<std::int64_t, Trajectory> running_;
};

// Adds to the description what every field simulator records of a run: generator and splits.
void record_run(Description& description, const std::array<int, 3>& splits);

// Opens or resumes the file, calls `run` for each missing range, and finishes the file.
Outcome run_generation(const Description& description, const SetOptions& options, const Observer& observer,
                       const RangeRunner& run);

}  // namespace gcan::data
