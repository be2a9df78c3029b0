#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "gcan/distributed/group.h"
#include "gcan/train/files/checkpoint.h"
#include "gcan/train/files/metrics_log.h"
#include "gcan/train/loop/optimizer.h"
#include "gcan/train/loop/order.h"
#include "gcan/train/loop/schedule.h"
#include "gcan/train/run.h"

namespace gcan::train {

// Weights of a network exchanged for their running average as long as the object lives; nothing without EMA.
class Averaged {
 public:
  Averaged(const torch::nn::Module& network, const NamedTensors& average);
  ~Averaged();
  Averaged(const Averaged&) = delete;
  Averaged& operator=(const Averaged&) = delete;

 private:
  NamedTensors parameters_, kept_;
};

// Metrics of a network in evaluation mode, without gradients; it is in training mode afterwards.
Metrics judge(models::Network& network, Task& task, Split split, Depth depth);

// The loop: steps, log, validation and checkpoints of one run in its folder, from its last checkpoint on.
//
//   Trainer trainer(config, *network, *task, folder, observer);
//   const bool complete = trainer.run();
class Trainer {
 public:
  // The network holds the run's first weights, or any when there is a checkpoint.
  // The ranks of a group train it together: a batch is cut among them, and rank 0 writes.
  Trainer(const Config& config, models::Network& network, Task& task, const std::string& folder,
          const Observer& observer, std::shared_ptr<distributed::Group> group = nullptr);

  // Trains to the end, or until the observer says stop, and saves. Whether the end was reached.
  bool run();

  [[nodiscard]] const State& state() const { return state_; }

 private:
  using Clock = std::chrono::steady_clock;
  // Adds the time of its life to a number of seconds.
  class Stopwatch;

  void resume();
  void begin_together();
  Batch own_part_of(std::int64_t batch);
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
  Optimizer optimizer_;
  Schedule schedule_;
  Order order_;
  double share_ = 1;     // of a batch
  torch::Tensor votes_;  // of all ranks for this step: the loss, and how many want to stop
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
