#pragma once

// Sections of a report on fluid runs. Figures are drawn into `folder`, with file names that begin with
// `prefix`.

#include <string>
#include <vector>

#include "gcan/experiments/run_report.h"

namespace gcan::experiments {

// One-step and rollout errors of finished runs and trivial predictors, as a table and as a chart over lead
// time.
report::Section rollout_error_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                                      const std::string& prefix);

// Spectra at the end of the rollouts and of the truth.
report::Section spectrum_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                                 const std::string& prefix);

// Drift of mass and enstrophy in the rollouts and in the truth.
report::Section drift_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                              const std::string& prefix);

// Still and moving pictures of one test trajectory, predicted by the run with the lowest test error and by
// the first of the others, usually the baseline.
//
//   const std::vector<ReportedRun> runs{{"UNet", "runs/unet"}, {"GCA-UNet", "runs/gca-unet"}};
//   page.sections.push_back(rollout_section(runs, folder, ""));
report::Section rollout_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                                const std::string& prefix);

// All sections.
std::vector<report::Section> fluid_sections(const std::vector<ReportedRun>& runs, const std::string& folder,
                                            const std::string& prefix);

}  // namespace gcan::experiments
