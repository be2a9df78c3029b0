#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gcan/experiments/reported_run.h"
#include "gcan/report/html_report.h"
#include "gcan/train/run.h"

namespace gcan::experiments {

// Sections of a report whose figures are drawn into `folder`, with file names that begin with `prefix`.
report::Section learning_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                                 const std::string& prefix);
// Of finished runs; nothing is drawn where there is none.
report::Section step_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                             const std::string& prefix);
// Test trajectories as the runs predict them, to turn and to play, and one of them as still and moving
// pictures of the runs in `drawn`.
report::Section motion_section(const std::vector<ReportedRun>& runs, const std::vector<ReportedRun>& drawn,
                               const std::string& folder, const std::string& prefix);

struct ReportOptions {
  std::string data_file = {};  // where the data of all runs lies now; empty: where it was
  std::function<void(const std::string& sentence)> note = {};  // what is being done
};

// Writes a page about one or several runs into the folder and returns its path: errors and learning curves;
// of Tetris data error by step and motion, of fluids the sections of fluid_report.h. Runs that are judged by
// different data stand apart, each group with its own tables and predictors that learn nothing. Error for a
// folder that is no run, and for a run without a checkpoint.
//
//   write_run_report({"runs/mlp", "runs/gca-mlp"}, "report", "gcan report runs/mlp runs/gca-mlp");
std::string write_run_report(const std::vector<std::string>& runs, const std::string& folder,
                             const std::string& command, const ReportOptions& options = {});

}  // namespace gcan::experiments
