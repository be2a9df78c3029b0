#pragma once

#include "gcan/experiments/experiment.h"

namespace gcan::experiments {

// tetris-mlp, tetris-gnn and tetris-velocity. Protocols: "paper" is Adam with the constant learning rate
// 1e-3; "ours" a short linear warm-up to 3e-3 and a cosine down to 0, which serves all networks of a table
// better; the same for all of them.
std::vector<std::unique_ptr<Experiment>> tetris_experiments();

}  // namespace gcan::experiments
