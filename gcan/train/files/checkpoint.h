#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gcan/train/files/safetensors.h"

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
};

// One state of a run, as a checkpoint's folder holds it.
struct Snapshot {
  State state;
  NamedTensors weights;
  NamedTensors average;    // empty without EMA
  NamedTensors optimizer;  // moments and torch's random state; empty in the best checkpoint
};

// The two checkpoints of a run, `last` and `best`, which always change together. Both are written into a new
// hidden folder; when every byte of it is on the disk the link `checkpoints` is switched to it by one rename,
// and the former folder is removed. So there is a whole pair of checkpoints from the first one on, whenever
// the program is killed and whatever the disk does. Where `checkpoints` links elsewhere, what it links to is
// read and left alone.
//
//   CheckpointFolder checkpoints("runs/gca-mlp");
//   checkpoints.save(last, best);
//   checkpoints.read("last").state.step;
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::string run_folder);

  [[nodiscard]] bool exists() const;

  // Removes what a killed program left unfinished. Only for the program that trains.
  void clean() const;

  // Without a new `best` the old one is kept. Error when something cannot be written; the checkpoints are
  // then the old ones.
  void save(const Snapshot& last, const std::optional<Snapshot>& best) const;

  // Error, with the file, when there is none or it is damaged.
  [[nodiscard]] Snapshot read(const std::string& which) const;
  // The same without the optimiser's tensors.
  [[nodiscard]] Snapshot read_weights(const std::string& which) const;

 private:
  void write(const std::string& folder, const Snapshot& snapshot) const;
  void keep_best(const std::string& folder) const;

  std::string run_folder_;
};

}  // namespace gcan::train
