#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gcan/train/files/safetensors.h"
#include "gcan/train/files/state.h"

namespace gcan::train {

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
