#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gcan/experiments/experiment.h"
#include "gcan/report/table.h"
#include "gcan/train/run.h"

namespace gcan::experiments {

struct CellResult {
  Cell cell;
  std::string folder;
  train::Result result;
};

// What the runs of an experiment gave.
struct Results {
  std::vector<CellResult> cells;                                // finished ones
  std::vector<std::pair<std::string, train::Metrics>> trivial;  // on the same test trajectories

  // Of all seeds.
  [[nodiscard]] std::vector<CellResult> of(const std::string& model, std::int64_t trajectories,
                                           const std::string& protocol) const;
};

// Collects every finished run of the experiment in the folder that has the plan's protocols and steps: also
// those of networks, sizes and seeds that this plan does not ask for, so that a table can be filled bit by
// bit. The plan is widened to what was found.
Results collect(Plan& plan, const std::string& folder);

// The paper's table, ours beside it, trivial predictors below, and what differs.
report::Table error_table(const Plan& plan, const Results& results);
// A line for each run: steps, seconds, parameters.
report::Table run_table(const Plan& plan, const Results& results);

// A line for each run, and for each trivial predictor: what the task measures beside the error (rollouts,
// fields, drifts), on the test split with the best checkpoint. No columns where it measures nothing more.
report::Table metrics_table(const Plan& plan, const Results& results);

// The tables that show all of the results.
std::vector<report::Table> tables_of(const Plan& plan, const Results& results);

// Writes results.json and results.md into the folder; `command` is the one that made them. False where the
// same ones were there already.
bool write_results(const Plan& plan, const Results& results, const std::string& folder,
                   const std::string& command);

// The plan of the results in an experiment's folder. Error where results.json is missing or damaged.
Plan read_plan(const std::string& folder);

// "gcan 0.1.0 (commit 1234567, g++ 12.2.0), LibTorch 1.13.0, 2 cores, Intel ..."
std::string made_with();

}  // namespace gcan::experiments
