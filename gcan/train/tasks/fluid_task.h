#pragma once

#include <array>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "gcan/train/tasks/flow_measures.h"
#include "gcan/train/tasks/task.h"
#include "gcan/train/tasks/trajectory_store.h"

namespace gcan::train {

// Fields on a grid: some frames in, the following ones out. A training example is a trajectory, of which each
// visit takes another stretch; an evaluation takes stretches that are spread evenly. The loss is the paper's:
// squared differences of normalised fields, averaged over space and summed over fields and frames.
class FluidTask : public Task {
 public:
  // Options of data_entry("fluid"); Error when the file cannot be read or does not fit them.
  explicit FluidTask(const config::Options& data);
  ~FluidTask() override;

  [[nodiscard]] std::int64_t size(Split split) const override;
  void require(Split split) const override;
  // (N, frames, planes, H, W); the examples of valid and test begin with their trajectories.
  Batch batch(Split split, std::span<const std::int64_t> indices, const Visit& visit) override;
  void expect(Split split, std::span<const std::int64_t> indices, const Visit& visit) override;
  [[nodiscard]] torch::Tensor loss(const torch::Tensor& prediction,
                                   const torch::Tensor& target) const override;
  // by_step: by predicted frame. more: "one_step/<field>" and "scaled_l2"; of a full evaluation also
  // "rollout_5" (summed over its steps), "rollout_long" (mean of its steps), "mass_drift" (of the first
  // scalar's mean, in deviations of the training data), "enstrophy_drift" (relative), and the same of the
  // truth, at the end of the long rollout. curves: "rollout", "mass_drift", "mass_drift_truth",
  // "enstrophy_drift", "enstrophy_drift_truth" by step, "spectrum" and "spectrum_truth" by "wavenumber".
  Metrics evaluate(Split split, const Predictor& predictor, Depth depth) override;
  std::vector<std::pair<std::string, Metrics>> trivial(Split split) override;
  [[nodiscard]] DataRecord record() const override;
  [[nodiscard]] NamedTensors constants() const override { return store_.normalisation().tensors(); }
  void use_constants(const NamedTensors& constants) override;
  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

  [[nodiscard]] std::int64_t memory() const override;

  [[nodiscard]] TrajectoryStore& store() { return store_; }
  // The file's number of an example.
  [[nodiscard]] int trajectory_of(Split split, std::int64_t example) const;
  [[nodiscard]] std::int64_t history() const { return history_; }

 private:
  struct Asked {
    Split split;
    std::vector<std::int64_t> indices;
    Visit visit;
  };
  struct Rollouts;

  void find_splits(const config::Options& data);
  void take_split(Split split, const config::Options& data);
  void leave_out_failed();
  void leave_out_damaged();
  void normalise(const std::string& how);
  [[nodiscard]] std::vector<data::Moments> plane_moments() const;
  [[nodiscard]] Normalisation by_points() const;
  void check_fields(const config::Options& data) const;
  void find_checksum();

  [[nodiscard]] std::int64_t frames() const;
  [[nodiscard]] std::int64_t start_of(const Asked& asked, std::int64_t index) const;
  [[nodiscard]] Batch make_batch(const Asked& asked);
  [[nodiscard]] std::vector<std::int64_t> evaluation_starts() const;
  [[nodiscard]] torch::Tensor one_step_row(const torch::Tensor& all, std::span<const std::int64_t> starts,
                                           const Predictor& predictor) const;
  [[nodiscard]] Metrics one_step(Split split, const Predictor& predictor);
  [[nodiscard]] Rollouts rollouts_of(Split split, std::int64_t first, std::int64_t end, std::int64_t steps,
                                     const Predictor& predictor);
  void add_rollouts(Split split, const Predictor& predictor, Metrics& metrics);

  std::string path_;
  std::int64_t history_, future_, windows_, rollout_;
  TrajectoryStore store_;
  FlowMeasures measures_;
  std::array<std::vector<int>, 3> splits_;  // numbers of trajectories in the file
  std::array<std::string, 3> problems_;     // why a split is empty
  std::vector<int> training_;               // all of the file's for training, for their statistics
  std::vector<std::string> notes_, left_out_;
  std::string checksum_, judged_;
  std::optional<Asked> expected_;
  std::future<Batch> coming_;
};

// (N, history, planes, H, W) -> the following `steps` frames, each predicted from those before it.
torch::Tensor roll_out(const Predictor& predictor, const torch::Tensor& history, std::int64_t steps);

// What a run records of the fields that a store gives: "fields", "units", "axes", "grid", "frame_seconds",
// "dataset", and the "file".
DataRecord fields_record(const TrajectoryStore& store);

}  // namespace gcan::train
