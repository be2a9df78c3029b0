#pragma once

// state.json of a checkpoint.

#include <cstdint>
#include <optional>
#include <string>

namespace gcan::train {

// The position of a run, without its tensors. Schedule and order of the data are functions of the step.
struct State {
  std::int64_t step = 0;     // done
  double loss_sum = 0;       // over the steps since the last log line
  double seconds = 0;        // of run time since the start of the run
  double train_seconds = 0;  // of these, in training steps
  std::optional<double> valid;
  std::optional<double> best;
  std::int64_t best_step = 0;
  std::int64_t loss_steps = 0;  // steps in loss_sum; -1 in older files: as many as train.log_every implies
  double loss_scale = 0;        // LossScale; 0 if there is none
  std::int64_t scaled_row = 0;
};

struct StoredState {
  State state;
  bool ema = false;  // the checkpoint has an average of the weights
};

// The text of the file, including its checksum.
std::string state_text(const StoredState& stored);

// Error, with the name, for a wrong checksum or another format.
StoredState parse_state(const std::string& text, const std::string& name);

}  // namespace gcan::train
