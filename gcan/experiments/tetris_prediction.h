#pragma once

#include <string>
#include <vector>

#include "gcan/experiments/reported_run.h"
#include "gcan/report/bodies_view.h"
#include "gcan/report/tetris_motion.h"
#include "gcan/train/run.h"

namespace gcan::experiments {

// Which trajectory of a run's data, predicted by which of its checkpoints.
struct PredictionOptions {
  train::Checkpoint checkpoint = train::Checkpoint::best;
  train::Split split = train::Split::test;
  std::int64_t index = 0;
  std::string data_file = {};  // another one than the run's
};

// A trajectory and what the run's network made of its end. Error for a run on other data than Tetris.
//
//   report::animate_tetris(predicted_motion("runs/gca-mlp", {.index = 3}), "motion.gif");
report::TetrisMotion predicted_motion(const std::string& run, const PredictionOptions& options = {});

// The first test trajectories, at most `most`, as a checkpoint of each run predicts them. Runs with the same
// trajectories are in one view. Error for a run on other data than Tetris.
std::vector<report::BodiesView> predicted_bodies(const std::vector<ReportedRun>& runs, std::int64_t most = 12,
                                                 train::Checkpoint checkpoint = train::Checkpoint::best);

}  // namespace gcan::experiments
