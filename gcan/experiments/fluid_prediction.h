#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gcan/report/fields_view.h"
#include "gcan/train/run.h"

namespace gcan::experiments {

// The trajectory, frames and fields to predict, and the checkpoint.
struct FluidPredictionOptions {
  train::Checkpoint checkpoint = train::Checkpoint::best;
  train::Split split = train::Split::test;
  std::int64_t index = 0;  // of the trajectory within its split
  std::int64_t start = 0;  // first input frame
  std::int64_t steps = 0;  // to predict; 0: to the end of the trajectory, at most `most_steps`
  std::int64_t most_steps = 1000000;
  std::string data_file = {};  // replaces that of the first run
  std::string fields = {};  // "eta,velocity", or components such as "u"; empty: all that the network predicts
  torch::Device device = torch::kCPU;
};

// A trajectory and its predictions by the runs' networks. All use the file of the first run and predict the
// same first step. Error for runs that are not on fluids, for fields that a run does not predict, and for
// runs on incompatible data.
//
//   report::draw_rollout(predicted_fields({"runs/unet", "runs/gca-unet"}, {.index = 3}), "rollout.pdf");
report::FieldRollout predicted_fields(const std::vector<std::string>& runs,
                                      const FluidPredictionOptions& options = {});

// The same with spectra, for a page.
report::FieldsView predicted_view(const std::vector<std::string>& runs,
                                  const FluidPredictionOptions& options = {});

}  // namespace gcan::experiments
