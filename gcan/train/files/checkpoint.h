#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gcan/train/files/safetensors.h"
#include "gcan/train/files/state.h"

namespace gcan::train {

// The state of a run in a checkpoint.
struct Snapshot {
  State state;
  NamedTensors weights;
  NamedTensors average;    // empty without EMA
  NamedTensors optimizer;  // moments and torch's random state; empty in the best checkpoint
};

// The two checkpoints of a run, `last` and `best`, which always change together. Both are written and flushed
// into a new hidden folder; then the link `checkpoints` is switched atomically and the old folder removed. So
// from the first save on there is always a complete pair of checkpoints, even if the program is killed or the
// disk is full. If `checkpoints` points elsewhere, its target is read but never changed.
//
//   CheckpointFolder checkpoints("runs/gca-mlp");
//   checkpoints.save(last, best);
//   checkpoints.read("last").state.step;
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::string run_folder);

  [[nodiscard]] bool exists() const;
  [[nodiscard]] bool has(const std::string& which) const;

  // Removes unfinished checkpoints of a killed program. Only for the program that trains.
  void clean() const;

  // Without a new `best` the old one is kept. Error on failure; the old checkpoints then remain.
  void save(const Snapshot& last, const std::optional<Snapshot>& best) const;

  // Error, with the file, if it is missing or damaged.
  [[nodiscard]] Snapshot read(const std::string& which) const;
  // The same without the optimiser's tensors.
  [[nodiscard]] Snapshot read_weights(const std::string& which) const;

 private:
  void write(const std::string& folder, const Snapshot& snapshot) const;
  void keep_best(const std::string& folder) const;

  std::string run_folder_;
};

}  // namespace gcan::train
