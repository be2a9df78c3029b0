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

// The results of an experiment's runs.
struct Results {
  std::vector<CellResult> cells;                                // finished ones
  std::vector<std::pair<std::string, train::Metrics>> trivial;  // on the same test trajectories

  // With all seeds.
  [[nodiscard]] std::vector<CellResult> of(const std::string& model, std::int64_t trajectories,
                                           const std::string& protocol) const;
};

// Collects all finished runs in the folder with the plan's protocols and steps, including networks, sizes and
// seeds outside the plan, so that a table can be filled step by step. Extends the plan by what was found.
Results collect(Plan& plan, const std::string& folder);

// The paper's errors and ours, trivial predictors, and the differences from the paper.
report::Table error_table(const Plan& plan, const Results& results);
// A line for each run: steps, seconds, parameters.
report::Table run_table(const Plan& plan, const Results& results);

// A line for each run and each trivial predictor with further metrics (rollouts, fields, drifts), on the test
// split with the best checkpoint. Has no columns if there are none.
report::Table metrics_table(const Plan& plan, const Results& results);

// All tables.
std::vector<report::Table> tables_of(const Plan& plan, const Results& results);

// Writes results.json and results.md into the folder; `command` is recorded in them. False if they were up to
// date.
bool write_results(const Plan& plan, const Results& results, const std::string& folder,
                   const std::string& command);

// Reads the plan of the results in an experiment's folder. Error if results.json is missing or damaged.
Plan read_plan(const std::string& folder);

// "gcan 0.1.0 (commit 1234567, g++ 12.2.0), LibTorch 1.13.0, 2 cores, Intel ..."
std::string made_with();

}  // namespace gcan::experiments
