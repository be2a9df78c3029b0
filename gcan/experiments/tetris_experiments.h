#pragma once

#include "gcan/experiments/experiment.h"

namespace gcan::experiments {

// tetris-mlp, tetris-gnn and tetris-velocity. Protocols: "paper" is Adam with the constant learning rate
// 1e-3; "ours" a short linear warm-up and a cosine down to 0, from a rate that suits the network and, with
// all of the paper's steps, the amount of data.
std::vector<std::unique_ptr<Experiment>> tetris_experiments();

}  // namespace gcan::experiments
