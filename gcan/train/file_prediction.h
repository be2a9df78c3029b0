#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gcan/train/run.h"

namespace gcan::train {

// Predicts a whole data file with the network of a run, into a file of the same layout.
struct FilePredictionOptions {
  std::string run, file, out;
  Checkpoint checkpoint = Checkpoint::best;
  // Steps of a rollout, each from the network's own previous ones. 0 is no rollout: of fields every frame is
  // predicted from the true ones before it, up to one frame beyond the end of the file; of Tetris as many
  // steps as the network predicts at once.
  std::int64_t steps = 0;
  std::int64_t start = 0;              // of a rollout: the first frame that is given
  std::optional<Split> split = {};     // of the file; none: all that it has
  std::vector<int> trajectories = {};  // of fields: these of the file; empty: all that are complete
};

// Called as the work proceeds; an exception stops it. Of fields, the same options resume from what was
// written.
struct FilePredictionObserver {
  std::function<void(std::int64_t total, std::int64_t done)> begin;
  std::function<void(const std::string& failure)> trajectory;  // done; the sentence of one that is not finite
  std::function<void(const std::string& sentence)> note;
};

struct FilePrediction {
  bool was_there = false;
  std::int64_t trajectories = 0, frames = 0;
  std::vector<std::string> failures;  // of trajectories whose prediction is not finite from some frame on
};

// Writes `out`: the layout of the file, in its units, with the run, its step and a checksum of its weights
// among the options. Names in .nc become NetCDF-4. Error for data that the network did not learn
// (data_check.h), for a stretch that is not there, and where no prediction is finite.
//
//   predict_file({.run = "runs/gca-unet", .file = "sw.h5", .out = "predicted.h5", .steps = 20});
FilePrediction predict_file(const FilePredictionOptions& options,
                            const FilePredictionObserver& observer = {});

}  // namespace gcan::train
