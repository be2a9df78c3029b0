#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "gcan/distributed/group.h"
#include "gcan/train/files/checkpoint.h"
#include "gcan/train/files/metrics_file.h"
#include "gcan/train/loop/loss_scale.h"
#include "gcan/train/loop/optimizer.h"
#include "gcan/train/loop/order.h"
#include "gcan/train/loop/schedule.h"
#include "gcan/train/run.h"

namespace gcan::train {

// Replaces the weights of a network by their running average during the object's lifetime; no effect without
// EMA.
class Averaged {
 public:
  Averaged(const torch::nn::Module& network, const NamedTensors& average);
  ~Averaged();
  Averaged(const Averaged&) = delete;
  Averaged& operator=(const Averaged&) = delete;

 private:
  NamedTensors parameters_, kept_;
};

// The mixed-precision type of train.autocast; empty for "none". Error for float16 on the CPU.
c10::optional<torch::ScalarType> autocast_of(const config::Options& train, const torch::Device& device);

// Evaluates a network on its device, in evaluation mode without gradients and autocast, then restores
// training mode.
Metrics judge(models::Network& network, Task& task, Split split, Depth depth);

// The training loop of a run: steps, log, validation and checkpoints, starting from the last checkpoint.
//
//   Trainer trainer(config, *network, *task, folder, observer);
//   const bool complete = trainer.run();
class Trainer {
 public:
  // The network has the initial weights, unless there is a checkpoint, and is trained on its parameters'
  // device. The ranks of a group split each batch, and rank 0 writes.
  Trainer(const Config& config, models::Network& network, Task& task, const std::string& folder,
          const Observer& observer, std::shared_ptr<distributed::Group> group = nullptr);

  // Trains to the end, or until the observer requests a stop, and saves. Returns whether the end was reached.
  bool run();

  [[nodiscard]] const State& state() const { return state_; }

 private:
  using Clock = std::chrono::steady_clock;
  // Adds the object's lifetime to a number of seconds.
  class Stopwatch;

  void resume();
  void begin_together();
  Batch own_part_of(std::int64_t batch);
  Batch batch_there(std::int64_t batch);
  torch::Tensor loss_of(const Batch& batch);
  double train_step_there(std::int64_t step);
  void check_weights();
  bool stop_wanted();
  double train_step(std::int64_t step);
  void add_gradients(std::int64_t batch, double& loss);
  [[noreturn]] void fail_at(std::int64_t step, const char* what, double value) const;
  void log_loss(double loss);
  void validate();
  void save();
  [[nodiscard]] bool checkpoint_due() const;
  [[nodiscard]] Snapshot snapshot(bool with_optimizer) const;
  void report(double loss, Clock::time_point start) const;

  const config::Options& options_;
  models::Network& network_;
  Task& task_;
  const Observer& observer_;
  std::shared_ptr<distributed::Group> together_;
  distributed::Group& group_;
  std::uint64_t seed_;
  std::int64_t steps_;
  std::int64_t accumulate_;
  torch::Device device_;
  c10::optional<torch::ScalarType> autocast_;
  std::optional<LossScale> loss_scale_;                  // of float16
  std::optional<std::pair<std::int64_t, Batch>> ahead_;  // the next batch, on its way to the device
  Optimizer optimizer_;
  Schedule schedule_;
  Order order_;
  double share_ = 1;     // this rank's part of a batch
  torch::Tensor votes_;  // summed over ranks: the loss and the number of stop requests
  distributed::Group::Pending voting_;
  CheckpointFolder checkpoints_;
  State state_;
  std::int64_t first_step_ = 0;
  std::optional<std::int64_t> saved_step_;
  std::optional<Snapshot> new_best_;  // not yet written
  Clock::time_point saved_at_ = Clock::now();
  std::optional<MetricsLog> log_;
};

}  // namespace gcan::train
