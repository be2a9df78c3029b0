#pragma once

#include <string>

#include "gcan/experiments/results.h"

namespace gcan::experiments {

// Writes the page of an experiment into the folder and returns its path: the table beside the paper's, the
// paper's figure (error against the number of trajectories), learning curves (of Tetris also errors by step)
// for each number of trajectories, what the best and the worst network predict, all runs. Error where no run
// is finished.
std::string write_experiment_report(const Plan& plan, const Results& results, const std::string& folder,
                                    const std::string& command);

}  // namespace gcan::experiments
