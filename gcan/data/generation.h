#pragma once

// What the data sets of all simulators share: the order of work between simulator and file.

#include <functional>
#include <string>

#include "gcan/data/generate.h"

namespace gcan::data {

// How random numbers are drawn, recorded so that a file begun with another generator is not continued with
// this one.
inline constexpr const char* kGenerator = "philox4x32, Box-Muller";

// Before the name of a split: the option of a part that says how many trajectories of it come before.
inline constexpr const char* kFirstOfPart = "first_";

using TrajectoryDone = std::function<void(int trajectory, const Trajectory&, const std::string& failure)>;
using RangeRunner = std::function<void(const Range&, const TrajectoryDone&)>;

// Opens or resumes the file, lets `run` simulate each range that is missing, finishes it.
Outcome run_generation(const Description& description, const SetOptions& options, const Observer& observer,
                       const RangeRunner& run);

}  // namespace gcan::data
