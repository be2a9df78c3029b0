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

// Trajectories of a file of The Well's layout as normalised tensors, read whole so that each is checked
// against its checksum, and kept as long as they fit into the memory given: those that came first stay,
// because training visits all of them once per epoch and any other choice would keep fewer until their turn
// comes again. May be used by several threads.
//
//   TrajectoryStore store("sw.h5", {"eta", "velocity"}, 2048);
//   store.trajectory(7);                   // (frames, planes, H, W)
class TrajectoryStore {
 public:
  // `names` of the fields, empty: all of the file in its order; memory in MiB.
  TrajectoryStore(const std::string& file, const std::vector<std::string>& names, std::int64_t memory);

  [[nodiscard]] const data::WellReader& file() const { return file_; }
  [[nodiscard]] const std::vector<std::size_t>& fields() const { return fields_; }
  [[nodiscard]] const std::vector<FieldPlanes>& planes() const { return planes_; }
  [[nodiscard]] std::int64_t plane_count() const;
  [[nodiscard]] std::int64_t limit() const { return limit_; }  // of what is kept [bytes]

  // From now on; what is kept is forgotten.
  void normalise_by(const Normalisation& normalisation);
  [[nodiscard]] const Normalisation& normalisation() const { return normalisation_; }

  // Error, naming it, for one that is damaged or holds a number that is not finite. The tensor is not to be
  // written to.
  torch::Tensor trajectory(int number);
  // The same in the file's units, never kept.
  [[nodiscard]] torch::Tensor read(int number) const;

  // Of what is kept.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  data::WellReader file_;
  std::vector<std::size_t> fields_;
  std::vector<FieldPlanes> planes_;
  std::int64_t limit_;
  Normalisation normalisation_;
  mutable std::mutex reading_;  // HDF5 serves one thread at a time
  mutable std::mutex keeping_;
  std::map<int, torch::Tensor> kept_;
  std::int64_t bytes_ = 0;
};

}  // namespace gcan::train
