#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gcan/data/well_file.h"
#include "gcan/torch.h"
#include "gcan/train/tasks/normalisation.h"

namespace gcan::train {

// Trajectories of a file of The Well's layout as normalised tensors. They are read whole, to verify their
// checksums, and cached until the given memory is full; nothing is evicted, because training visits all once
// per epoch, for which any other policy has fewer hits. Thread-safe.
//
//   TrajectoryStore store("sw.h5", {"eta", "velocity"}, 2048);
//   store.trajectory(7);                   // (frames, planes, H, W)
class TrajectoryStore {
 public:
  // `names` of the fields, or empty for all fields in the file's order; memory in MiB.
  TrajectoryStore(const std::string& file, const std::vector<std::string>& names, std::int64_t memory);

  [[nodiscard]] const data::WellReader& file() const { return file_; }
  [[nodiscard]] const std::vector<std::size_t>& fields() const { return fields_; }
  [[nodiscard]] const std::vector<FieldPlanes>& planes() const { return planes_; }
  [[nodiscard]] std::int64_t plane_count() const;
  [[nodiscard]] std::int64_t limit() const { return limit_; }  // of the cache [bytes]

  // Sets the normalisation and clears the cache.
  void normalise_by(const Normalisation& normalisation);
  [[nodiscard]] const Normalisation& normalisation() const { return normalisation_; }

  // Error, naming the trajectory, if it is damaged or has a non-finite number. The tensor must not be
  // modified.
  torch::Tensor trajectory(int number);
  // The same in the file's units, not cached.
  [[nodiscard]] torch::Tensor read(int number) const;

  // Size of the cache.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  data::WellReader file_;
  std::vector<std::size_t> fields_;
  std::vector<FieldPlanes> planes_;
  std::int64_t limit_;
  Normalisation normalisation_;
  mutable std::mutex reading_;  // HDF5 is not thread-safe
  mutable std::mutex keeping_;
  std::map<int, torch::Tensor> kept_;
  std::int64_t bytes_ = 0;
};

// The only conversions between the layout of files, (frames, H, W, components), and of networks, (frames,
// planes, H, W).
torch::Tensor network_form(const torch::Tensor& stored);
torch::Tensor stored_form(const torch::Tensor& planes);

}  // namespace gcan::train
