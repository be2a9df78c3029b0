#pragma once

#include <string>

#include "gcan/experiments/tetris_results.h"

namespace gcan::experiments {

// Writes the page of an experiment into the folder and returns its path: the table beside the paper's, the
// paper's figure (error against the number of trajectories), learning curves and errors by step for each
// number of trajectories, the motion as the best and the worst network predict it, all runs. Error where no
// run is finished.
std::string write_tetris_report(const TetrisPlan& plan, const TetrisResults& results,
                                const std::string& folder, const std::string& command);

}  // namespace gcan::experiments
