#pragma once

#include <array>
#include <optional>
#include <string>

#include "gcan/data/tetris_file.h"
#include "gcan/train/tasks/task.h"

namespace gcan::train {

// Tetris motions: predicts steps from the preceding ones. A split is read on first use and then kept in
// memory. Loss and error are the paper's: squared differences summed over steps and coordinates, averaged
// over points and trajectories.
class TetrisTask : public Task {
 public:
  // Options of data_entry("tetris"); Error if the file cannot be read or its trajectories are too short.
  explicit TetrisTask(const config::Options& data);

  [[nodiscard]] std::int64_t size(Split split) const override;
  void require(Split split) const override;
  Batch batch(Split split, std::span<const std::int64_t> indices, const Visit& visit) override;
  [[nodiscard]] torch::Tensor loss(const torch::Tensor& prediction,
                                   const torch::Tensor& target) const override;
  Metrics evaluate(Split split, const Predictor& predictor, Depth depth) override;
  std::vector<std::pair<std::string, Metrics>> trivial(Split split) override;
  [[nodiscard]] DataRecord record() const override;
  [[nodiscard]] DataRecord outline() const override;

 private:
  [[nodiscard]] const Batch& of(Split split) const;
  void check_memory(Split split) const;

  data::TetrisFile file_;
  std::int64_t steps_in_, steps_out_;
  bool velocities_;
  std::array<std::size_t, 3> sizes_{};
  std::array<std::string, 3> problems_;                 // why a split is empty
  mutable std::array<std::optional<Batch>, 3> splits_;  // read on first use
};

// The first `count` trajectories of a split, (trajectories, fields, steps, points, 3); velocities, the second
// field, are read only if requested.
torch::Tensor tetris_fields(const data::TetrisFile& file, Split split, bool velocities,
                            std::size_t count = data::TetrisFile::kAll);

}  // namespace gcan::train
