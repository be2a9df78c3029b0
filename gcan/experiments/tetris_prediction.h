#pragma once

#include <string>

#include "gcan/report/tetris_motion.h"
#include "gcan/train/run.h"

namespace gcan::experiments {

// Which trajectory of a run's data, predicted by which of its checkpoints.
struct PredictionOptions {
  train::Checkpoint checkpoint = train::Checkpoint::best;
  train::Split split = train::Split::test;
  std::int64_t index = 0;
};

// A trajectory and what the run's network made of its end. Error for a run on other data than Tetris.
//
//   report::animate_tetris(predicted_motion("runs/gca-mlp", {.index = 3}), "motion.gif");
report::TetrisMotion predicted_motion(const std::string& run, const PredictionOptions& options = {});

}  // namespace gcan::experiments
