#pragma once

#include <array>

#include "gcan/data/tetris_file.h"
#include "gcan/train/tasks/task.h"

namespace gcan::train {

// Tetris motions: some steps in, the following ones out, all trajectories in memory. Loss and error are the
// paper's: squared differences summed over steps and coordinates, averaged over points and trajectories.
class TetrisTask : public Task {
 public:
  // Options of data_entry("tetris"); Error when the file cannot be read or is too small for them.
  explicit TetrisTask(const config::Options& data);

  [[nodiscard]] std::int64_t size(Split split) const override;
  void require(Split split) const override;
  Batch batch(Split split, std::span<const std::int64_t> indices, const Visit& visit) override;
  [[nodiscard]] torch::Tensor loss(const torch::Tensor& prediction,
                                   const torch::Tensor& target) const override;
  Metrics evaluate(Split split, const Predictor& predictor, Depth depth) override;
  std::vector<std::pair<std::string, Metrics>> trivial(Split split) override;
  [[nodiscard]] DataRecord record() const override;

 private:
  [[nodiscard]] const Batch& of(Split split) const { return splits_[static_cast<std::size_t>(split)]; }

  std::array<Batch, 3> splits_;          // (trajectories, fields, steps, points, 3)
  std::array<std::string, 3> problems_;  // why a split is empty
  std::string file_, checksum_, judged_;
};

// Positions, with velocities beside them where asked for: (trajectories, fields, steps, points, 3).
torch::Tensor tetris_fields(const data::TetrisSplit& split, int steps, bool velocities);

}  // namespace gcan::train
