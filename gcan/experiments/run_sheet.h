#pragma once

#include <vector>

#include "gcan/experiments/reported_run.h"
#include "gcan/report/html_report.h"

namespace gcan::experiments {

// A run's configuration, machine and results, finished or not.
report::RunSheet run_sheet(const ReportedRun& run);

// The sheets of all runs, for inspection and comparison.
report::Section run_section(const std::vector<ReportedRun>& runs);

}  // namespace gcan::experiments
