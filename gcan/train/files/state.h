#pragma once

// state.json of a checkpoint.

#include <cstdint>
#include <optional>
#include <string>

namespace gcan::train {

// Where a run is, besides its tensors. The schedule and the order of the data are functions of the step.
struct State {
  std::int64_t step = 0;     // done
  double loss_sum = 0;       // of the steps since the last line of the log
  double seconds = 0;        // since the start of the run, as long as it ran
  double train_seconds = 0;  // of them, in training steps
  std::optional<double> valid;
  std::optional<double> best;
  std::int64_t best_step = 0;
  std::int64_t loss_steps = 0;  // in loss_sum; -1, of older files: as many as train.log_every makes it
};

struct StoredState {
  State state;
  bool ema = false;  // the checkpoint has an average of the weights
};

// The text of the file, with its own checksum.
std::string state_text(const StoredState& stored);

// Error, with the name, when the checksum is wrong or the text is of another form.
StoredState parse_state(const std::string& text, const std::string& name);

}  // namespace gcan::train
