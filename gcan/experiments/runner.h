#pragma once

// Runs an experiment in a folder:
//
//   tetris-16384.h5        the data, simulated once
//   configs/CELL.toml      what trains each cell
//   runs/CELL/             its run folder, see gcan/train/run.h
//   logs/CELL.log          what the process that trained it said
//   results.json, results.md, report/     see results.h, experiment_report.h

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gcan/experiments/experiment.h"

namespace gcan::experiments {

// A running cell, as its metrics.jsonl shows it.
struct CellProgress {
  Cell cell;
  std::int64_t step = 0;
  std::optional<double> loss, valid;
};

// Told as it goes. Leave empty what is of no interest.
struct RunnerObserver {
  std::function<void(const std::string& sentence)> note;
  // Several times a second: steps done of all cells, and the cells at work.
  std::function<void(std::int64_t done, std::int64_t total, const std::vector<CellProgress>&)> progress;
  std::function<bool()> stop;  // true: children save and end
};

struct RunnerOptions {
  std::string folder;
  int jobs = 1;                            // cells at once
  int threads = 1;                         // of each
  std::vector<std::string> settings = {};  // of every cell beside its own: the data's file
  // The command line that trains as a configuration file says, into a run folder.
  std::function<std::vector<std::string>(const std::string& config, const std::string& run)> command;
};

struct RunnerOutcome {
  bool stopped = false;
  std::vector<std::pair<Cell, std::string>> failures;  // with the sentence of the process
};

// Where a cell's run lies in an experiment's folder.
std::string run_folder(const std::string& folder, const Cell& cell);

// Makes the folder and simulates the data it needs, unless it is there; returns the file.
std::string prepare_data(const Plan& plan, const std::string& folder, int threads,
                         const data::Observer& observer = {});

// Trains cells, each in a process of its own: finished ones are skipped and unfinished ones are resumed, so
// that a stopped experiment is continued by starting it again. A cell that fails does not stop the others.
RunnerOutcome run_cells(const std::vector<Cell>& cells, const RunnerOptions& options,
                        const RunnerObserver& observer = {});

}  // namespace gcan::experiments
