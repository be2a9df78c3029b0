#pragma once

#include <string>
#include <vector>

#include "gcan/experiments/reported_run.h"
#include "gcan/train/run.h"

namespace gcan::experiments {

// Runs whose errors can be compared: judged by the same examples, fields and normalisation.
struct RunGroup {
  std::string title;  // "sw.h5: eta, velocity on 32 x 64"
  std::string kind;   // of the data: "fluid"
  std::vector<ReportedRun> runs;
};

// The runs by the data that they are judged by, in the order in which they come; names the runs after their
// networks, and after their folders too where two of a group have the same. With a data file, it is where the
// data of all of them lies now: Error where it is other data.
std::vector<RunGroup> grouped(const std::vector<std::string>& folders, const std::string& data_file = "");

// The split whose examples a page shows: test, or valid where the run's data has no other.
train::Split shown_split(const ReportedRun& run);

}  // namespace gcan::experiments
