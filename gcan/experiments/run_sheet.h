#pragma once

#include <vector>

#include "gcan/experiments/reported_run.h"
#include "gcan/report/html_report.h"

namespace gcan::experiments {

// What a run depends on, what it ran on and what came out, finished or not.
report::RunSheet run_sheet(const ReportedRun& run);

// The sheets of all runs, to look at one by one and to compare.
report::Section run_section(const std::vector<ReportedRun>& runs);

}  // namespace gcan::experiments
