#pragma once

#include <string>

#include "gcan/experiments/results.h"

namespace gcan::experiments {

// Writes the page of an experiment into the folder and returns its path: our table and the paper's, the
// paper's figure (error against the number of trajectories), learning curves (for Tetris also errors by step)
// for each number of trajectories, predictions of the best and the worst network, and all runs. Error if no
// run is finished.
std::string write_experiment_report(const Plan& plan, const Results& results, const std::string& folder,
                                    const std::string& command);

}  // namespace gcan::experiments
