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

// A network's rollout from frames of a trajectory, in the units of the file.
struct FluidRollout {
  data::Description description;
  std::vector<FluidPlane> planes;
  std::vector<double> times;         // of the targets [s]
  torch::Tensor input;               // (history, planes, H, W)
  torch::Tensor target, prediction;  // (steps, planes, H, W)
  std::string model;                 // "GCA-UNet"
};

// Starts at the frame `start` of a trajectory of the split; `steps` 0: to the end of the trajectory. Error
// for other kinds of runs and for frames out of range.
FluidRollout roll_out(const std::string& run, Checkpoint checkpoint, Split split, std::int64_t trajectory,
                      std::int64_t start, std::int64_t steps, const std::string& data_file = "",
                      const torch::Device& device = torch::kCPU);

}  // namespace gcan::train
