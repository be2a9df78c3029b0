#pragma once

#include <string>
#include <vector>

#include "gcan/experiments/reported_run.h"
#include "gcan/train/run.h"

namespace gcan::experiments {

// Runs with comparable errors: the same test examples, fields and normalisation.
struct RunGroup {
  std::string title;  // "sw.h5: eta, velocity on 32 x 64"
  std::string kind;   // of the data: "fluid"
  std::vector<ReportedRun> runs;
};

// Groups the runs by test data, in order. Names them after their networks, and after their folders as well if
// two names in a group are equal. A data file replaces the moved one of all runs; Error if its data differs.
std::vector<RunGroup> grouped(const std::vector<std::string>& folders, const std::string& data_file = "");

// The split that a page shows: test, or valid if the run's data has no test split.
train::Split shown_split(const ReportedRun& run);

}  // namespace gcan::experiments
