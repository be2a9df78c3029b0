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

// Fields on a grid: predicts frames from the preceding ones. A training example is a trajectory, of which
// each visit uses a random window; an evaluation uses evenly spread windows. The loss is the paper's: squared
// differences of normalised fields, averaged over space and summed over fields and frames.
class FluidTask : public Task {
 public:
  // Options of data_entry("fluid"); Error if the file cannot be read or does not fit them.
  explicit FluidTask(const config::Options& data);
  ~FluidTask() override;

  [[nodiscard]] std::int64_t size(Split split) const override;
  void require(Split split) const override;
  // (N, frames, planes, H, W); examples of valid and test begin at frame 0. With data.pushforward the number
  // of target frames in training depends on the visit.
  Batch batch(Split split, std::span<const std::int64_t> indices, const Visit& visit) override;
  void expect(Split split, std::span<const std::int64_t> indices, const Visit& visit) override;
  [[nodiscard]] torch::Tensor loss(const torch::Tensor& prediction,
                                   const torch::Tensor& target) const override;
  // The mean loss of data.unroll predictions, each from those before it. If the target is longer, the first
  // predictions are made without gradients (pushforward) and do not count.
  [[nodiscard]] torch::Tensor training_loss(const Predictor& predictor, const Batch& batch) const override;
  // by_step: by predicted frame. more: "one_step/<field>" and "scaled_l2"; a full evaluation also has
  // "rollout_5" (summed over its steps), "rollout_long" (mean of its steps), "mass_drift" (of the first
  // scalar's mean, in deviations of the training data), "enstrophy_drift" (relative), and the same for the
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
  // The index of an example's trajectory in the file.
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
  [[nodiscard]] std::int64_t predictions_of(const Asked& asked) const;
  [[nodiscard]] std::int64_t start_of(const Asked& asked, std::int64_t index, std::int64_t predicted) const;
  [[nodiscard]] Batch make_batch(const Asked& asked);
  [[nodiscard]] std::vector<std::int64_t> evaluation_starts() const;
  [[nodiscard]] torch::Tensor one_step_row(const torch::Tensor& all, std::span<const std::int64_t> starts,
                                           const Predictor& predictor) const;
  [[nodiscard]] Metrics one_step(Split split, const Predictor& predictor);
  [[nodiscard]] Rollouts rollouts_of(Split split, std::int64_t first, std::int64_t end, std::int64_t steps,
                                     const Predictor& predictor);
  void add_rollouts(Split split, const Predictor& predictor, Metrics& metrics);

  std::string path_;
  std::int64_t history_, future_, windows_, rollout_, unroll_, pushforward_;
  double noise_;
  TrajectoryStore store_;
  FlowMeasures measures_;
  std::array<std::vector<int>, 3> splits_;  // indices of trajectories in the file
  std::array<std::string, 3> problems_;     // why a split is empty
  std::vector<int> training_;               // all training trajectories of the file, for their statistics
  std::vector<std::string> notes_, left_out_;
  std::string checksum_, judged_;
  std::optional<Asked> expected_;
  std::future<Batch> coming_;
};

// The history after predicting `next`: as many frames as before, the last ones of both.
torch::Tensor moved_on(const torch::Tensor& seen, const torch::Tensor& next, std::int64_t time = 1);

// The `steps` frames that follow the history, each predicted from those before it, as in (N, history, planes,
// H, W) -> (N, steps, planes, H, W); `time` is the dimension of the frames.
torch::Tensor roll_out(const Predictor& predictor, const torch::Tensor& history, std::int64_t steps,
                       std::int64_t time = 1);

// A run's record of a store's fields: "fields", "units", "axes", "grid", "frame_seconds", "dataset", and the
// "file".
DataRecord fields_record(const TrajectoryStore& store);

}  // namespace gcan::train
