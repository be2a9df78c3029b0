#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gcan/report/fields_view.h"
#include "gcan/train/run.h"

namespace gcan::experiments {

// Which stretch of a run's data, predicted by which of its checkpoints, and which fields of it are shown.
struct FluidPredictionOptions {
  train::Checkpoint checkpoint = train::Checkpoint::best;
  train::Split split = train::Split::test;
  std::int64_t index = 0;  // of the trajectory in its split
  std::int64_t start = 0;  // frame that the network is given first
  std::int64_t steps = 0;  // to predict; 0: as many as there are, at most `most_steps`
  std::int64_t most_steps = 1000000;
  std::string data_file = {};  // another one than that of the first run
  std::string fields = {};     // "eta,velocity", components as "u"; empty: all that the network predicts
};

// A trajectory and what the networks of the runs make of it. All are given the file of the first run; where
// one needs fewer frames before the first step, it is given the last of them. Error for a run on other data
// than fluids, for a field that a run does not predict, and for runs whose files do not fit together.
//
//   report::draw_rollout(predicted_fields({"runs/unet", "runs/gca-unet"}, {.index = 3}), "rollout.pdf");
report::FieldRollout predicted_fields(const std::vector<std::string>& runs,
                                      const FluidPredictionOptions& options = {});

// The same with spectra, for a page.
report::FieldsView predicted_view(const std::vector<std::string>& runs,
                                  const FluidPredictionOptions& options = {});

}  // namespace gcan::experiments
