#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gcan/experiments/tetris_experiments.h"
#include "gcan/report/table.h"
#include "gcan/train/run.h"

namespace gcan::experiments {

struct CellResult {
  TetrisCell cell;
  std::string folder;
  train::Result result;
};

// What the runs of an experiment gave.
struct TetrisResults {
  std::vector<CellResult> cells;                                // finished ones
  std::vector<std::pair<std::string, train::Metrics>> trivial;  // on the same test trajectories

  // Of all seeds.
  [[nodiscard]] std::vector<CellResult> of(const std::string& model, std::int64_t trajectories,
                                           Protocol protocol) const;
};

// Collects every finished run of the experiment in the folder that has the plan's protocols and steps: also
// those of networks, sizes and seeds that this plan does not ask for, so that a table can be filled bit by
// bit. The plan is widened to what was found.
TetrisResults collect(TetrisPlan& plan, const std::string& folder);

// The paper's table, ours beside it, trivial predictors below, and what differs.
report::Table error_table(const TetrisPlan& plan, const TetrisResults& results);
// A line for each run: steps, seconds, parameters.
report::Table run_table(const TetrisPlan& plan, const TetrisResults& results);

// Writes results.json and results.md into the folder; `command` is the one that made them. False where the
// same ones were there already.
bool write_results(const TetrisPlan& plan, const TetrisResults& results, const std::string& folder,
                   const std::string& command);

// The plan of the results in an experiment's folder. Error where results.json is missing or damaged.
TetrisPlan read_plan(const std::string& folder);

// "gcan 0.1.0 (commit 1234567, g++ 12.2.0), LibTorch 1.13.0, 2 cores, Intel ..."
std::string made_with();

}  // namespace gcan::experiments
