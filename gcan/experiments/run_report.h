#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gcan/experiments/reported_run.h"
#include "gcan/report/html_report.h"
#include "gcan/train/run.h"

namespace gcan::experiments {

// Sections of a report. Figures are drawn into `folder`, with file names that begin with `prefix`.
report::Section learning_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                                 const std::string& prefix);
// For finished runs; a sentence if there are none.
report::Section step_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                             const std::string& prefix);
// The runs' predictions of test trajectories as an interactive view, and still and moving pictures of one of
// them for the runs in `drawn`.
report::Section motion_section(const std::vector<ReportedRun>& runs, const std::vector<ReportedRun>& drawn,
                               const std::string& folder, const std::string& prefix);

struct ReportOptions {
  std::string data_file = {};                                  // the data file of all runs, if it was moved
  std::function<void(const std::string& sentence)> note = {};  // progress notes
};

// Writes a page about one or several runs into the folder and returns its path: errors and learning curves;
// for Tetris errors by step and motions, for fluids the sections of fluid_report.h. Runs on different data
// are shown in separate groups with their own tables. Error for a folder that is not a run, and for a run
// without a checkpoint.
//
//   write_run_report({"runs/mlp", "runs/gca-mlp"}, "report", "gcan report runs/mlp runs/gca-mlp");
std::string write_run_report(const std::vector<std::string>& folders, const std::string& folder,
                             const std::string& command, const ReportOptions& options = {});

}  // namespace gcan::experiments
