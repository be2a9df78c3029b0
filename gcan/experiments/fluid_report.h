#pragma once

// Sections of a report on runs of fluid data. Figures are drawn into `folder`, with file names that begin
// with `prefix`. Runs are named as a table would; those on the same data can be compared.

#include <string>
#include <vector>

#include "gcan/experiments/run_report.h"

namespace gcan::experiments {

// Errors of one step and of rollouts as a table, and over the lead time as a chart, of finished runs and of
// predictors that learn nothing.
report::Section rollout_error_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                                      const std::string& prefix);

// What rollouts are made of at their end, by wavenumber, beside the truth.
report::Section spectrum_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                                 const std::string& prefix);

// How far a mean and the enstrophy move, beside the truth.
report::Section drift_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                              const std::string& prefix);

// The run with the least test error, beside it the first of the others, which is the one to beat where runs
// are listed from the baseline on: the same test trajectory, still and moving.
//
//   page.sections.push_back(rollout_section({{"UNet", "runs/unet"}, {"GCA-UNet", "runs/gca-unet"}}, folder,
//   ""));
report::Section rollout_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                                const std::string& prefix);

// All of these.
std::vector<report::Section> fluid_sections(const std::vector<ReportedRun>& runs, const std::string& folder,
                                            const std::string& prefix);

}  // namespace gcan::experiments
