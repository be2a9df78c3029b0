#pragma once

// Runs an experiment in a folder:
//
//   tetris-16384.h5        the data, simulated once
//   configs/CELL.toml      the configuration of each cell
//   runs/CELL/             its run folder, see gcan/train/run.h
//   logs/CELL.log          the output of its process
//   results.json, results.md, report/     see results.h, experiment_report.h

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gcan/experiments/experiment.h"

namespace gcan::experiments {

// The progress of a running cell, from its metrics.jsonl.
struct CellProgress {
  Cell cell;
  std::int64_t step = 0;
  std::optional<double> loss, valid;
};

// Callbacks. Each may be empty.
struct RunnerObserver {
  std::function<void(const std::string& sentence)> note;
  // Several times per second: completed steps of all cells, and the running cells.
  std::function<void(std::int64_t done, std::int64_t total, const std::vector<CellProgress>&)> progress;
  std::function<bool()> stop;  // true: child processes save and exit
};

struct RunnerOptions {
  std::string folder;
  int jobs = 1;                            // parallel cells
  int threads = 1;                         // of each
  std::vector<std::string> settings = {};  // added to every cell's settings: the data file
  // The command line that trains a configuration file into a run folder.
  std::function<std::vector<std::string>(const std::string& config, const std::string& run)> command;
};

struct RunnerOutcome {
  bool stopped = false;
  std::vector<std::pair<Cell, std::string>> failures;  // with the error of the process
};

// The run folder of a cell in an experiment's folder.
std::string run_folder(const std::string& folder, const Cell& cell);

// Creates the folder and simulates its data unless it exists; returns the file.
std::string prepare_data(const Plan& plan, const std::string& folder, int threads,
                         const data::Observer& observer = {});

// Trains cells, each in its own process. Skips finished cells and resumes unfinished ones. A cell that fails
// does not stop the others.
RunnerOutcome run_cells(const std::vector<Cell>& cells, const RunnerOptions& options,
                        const RunnerObserver& observer = {});

}  // namespace gcan::experiments
