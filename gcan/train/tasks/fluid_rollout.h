#pragma once

#include <string>
#include <vector>

#include "gcan/data/well_file.h"
#include "gcan/train/run.h"

namespace gcan::train {

// A plane of a frame: "eta" in m, "velocity u" in m/s.
struct FluidPlane {
  std::string name, unit;
};

// What a network makes of a stretch of a trajectory, each frame predicted from its own ones before, in the
// units of the file.
struct FluidRollout {
  data::Description description;
  std::vector<FluidPlane> planes;
  std::vector<double> times;         // of the targets [s]
  torch::Tensor input;               // (history, planes, H, W)
  torch::Tensor target, prediction;  // (steps, planes, H, W)
  std::string model;                 // "GCA-UNet"
};

// From the frame `start` of a split's trajectory on; `steps` 0: as many as the data has. Error for a run of
// other data, and for a stretch that is not there.
FluidRollout roll_out(const std::string& run, Checkpoint checkpoint, Split split, std::int64_t trajectory,
                      std::int64_t start, std::int64_t steps, const std::string& data_file = "");

}  // namespace gcan::train
