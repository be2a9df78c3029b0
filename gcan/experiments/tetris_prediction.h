#pragma once

#include <string>
#include <vector>

#include "gcan/experiments/reported_run.h"
#include "gcan/report/bodies_view.h"
#include "gcan/report/tetris_motion.h"
#include "gcan/train/run.h"

namespace gcan::experiments {

// The trajectory to predict, and the checkpoint.
struct PredictionOptions {
  train::Checkpoint checkpoint = train::Checkpoint::best;
  train::Split split = train::Split::test;
  std::int64_t index = 0;
  std::string data_file = {};  // replaces the run's
  torch::Device device = torch::kCPU;
};

// A trajectory and the network's prediction of its end. Error for a run that is not on Tetris.
//
//   report::animate_tetris(predicted_motion("runs/gca-mlp", {.index = 3}), "motion.gif");
report::TetrisMotion predicted_motion(const std::string& run, const PredictionOptions& options = {});

// Predictions of at most `most` test trajectories by a checkpoint of each run. Runs with the same
// trajectories share a view. Error for a run that is not on Tetris.
std::vector<report::BodiesView> predicted_bodies(const std::vector<ReportedRun>& runs, std::int64_t most = 12,
                                                 train::Checkpoint checkpoint = train::Checkpoint::best);

}  // namespace gcan::experiments
