#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gcan/train/run.h"

namespace gcan::train {

// Options for predicting a whole data file with the network of a run.
struct FilePredictionOptions {
  std::string run, file, out;
  Checkpoint checkpoint = Checkpoint::best;
  // Steps of a rollout, each from the network's own previous ones. 0 means no rollout: for fields, each frame
  // is predicted from the true frames before it, up to one frame beyond the end of the file; for Tetris, as
  // many steps as the network predicts at once.
  std::int64_t steps = 0;
  std::int64_t start = 0;              // for a rollout: the first input frame
  std::optional<Split> split = {};     // of the file; empty: all
  std::vector<int> trajectories = {};  // for fields: these trajectories; empty: all complete ones
  torch::Device device = torch::kCPU;
};

// Progress callbacks; an exception stops the work. For fields, a later call with the same options resumes.
struct FilePredictionObserver {
  std::function<void(std::int64_t total, std::int64_t done)> begin;
  std::function<void(const std::string& failure)>
      trajectory;  // one is done; with a message if it is not finite
  std::function<void(const std::string& sentence)> note;
};

struct FilePrediction {
  bool was_there = false;
  std::int64_t trajectories = 0, frames = 0;
  std::vector<std::string> failures;  // messages for trajectories whose prediction becomes non-finite
};

// Writes `out` in the layout and units of the file, with the run, its step and a checksum of its weights as
// options. A name with .nc gives NetCDF-4. Error for data that does not match the run (data_check.h), for
// frames out of range, and if no prediction is finite.
//
//   predict_file({.run = "runs/gca-unet", .file = "sw.h5", .out = "predicted.h5", .steps = 20});
FilePrediction predict_file(const FilePredictionOptions& options,
                            const FilePredictionObserver& observer = {});

}  // namespace gcan::train
