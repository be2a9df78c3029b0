#pragma once

// Training, loading and evaluating a run folder.
//
//   config.toml        the resolved configuration, every key
//   run.json           what it ran on: version, commit, machine, threads, data and its checksum
//   data.safetensors   the data's means and scales that the network uses, if any
//   start.safetensors  the initial weights, if they are from another run
//   metrics.jsonl      one JSON object a line: {"kind": "train" | "valid", "step": ...}
//   checkpoints/last   weights.safetensors, optimizer.safetensors, with EMA ema.safetensors; state.json
//   checkpoints/best   the same without the optimiser, of the step with the least validation error
//   result.json        written at the end: errors of both checkpoints, speed, trivial predictors
//
// `checkpoints` is a link to a hidden folder that is written completely before the link is switched
// atomically. If a run is killed at any time, the folder contains either the old or the new checkpoint.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gcan/train/config.h"
#include "gcan/train/metrics.h"
#include "gcan/train/tasks/task.h"

namespace gcan::train {

enum class Checkpoint { last, best };
const char* to_string(Checkpoint checkpoint);
// Error unless the text is "last" or "best".
Checkpoint checkpoint_named(const std::string& text);

// The progress of a training, for an Observer.
struct Progress {
  std::int64_t step = 0, steps = 0;
  std::int64_t first_step = 0;  // first step since the start of the program
  double seconds = 0;           // since then
  double loss = 0;              // of this step's batch
  double learning_rate = 0;
  std::optional<double> valid, best;  // latest and lowest validation error
};

// Callbacks of train(), called in its thread. Each may be empty.
struct Observer {
  std::function<void(const Progress&)> progress;          // after every step
  std::function<void(const std::string& sentence)> note;  // "resuming from step 4096"
  std::function<void()> begin;  // before the first step, after loading data and network
  std::function<bool()> stop;   // polled after every step; true saves a checkpoint and stops
};

enum class End { complete, was_complete, stopped };

struct Outcome {
  End end = End::complete;
  std::int64_t step = 0;         // the last completed step
  std::optional<Result> result;  // unless stopped
};

// The initial weights of a run.
struct Start {
  std::string from = {};                     // a run whose fitting weights are used; empty: random weights
  Checkpoint checkpoint = Checkpoint::best;  // of that run
};

// Trains in the folder: starts a new run, resumes an unfinished run from its last checkpoint, or returns the
// result of a finished one. On the same machine, with the same threads and settings, a stopped or killed run
// resumes bit-for-bit. Error if the folder contains a run of another configuration (with the first key that
// differs), if the data has changed, if a file cannot be written or is damaged, and if the loss or a gradient
// is not finite (with the step and the largest gradients).
//
// With a group, its ranks train together: all call train() with the same configuration, and rank 0 reads and
// writes the folder and reports progress. Resuming with the same number of ranks is bit-for-bit. Error, the
// same on all ranks, if they differ in version, configuration, data or number of parameters;
// distributed::Fault if a rank is lost.
//
// The network is trained on the device; data stay in host memory. A run can be resumed on any device, with a
// note that its last digits may differ.
Outcome train(const Config& config, const std::string& folder, const Observer& observer = {},
              const std::shared_ptr<distributed::Group>& group = nullptr, const Start& start = {},
              const torch::Device& device = torch::kCPU);

// The result of a finished run; empty for an unfinished one.
std::optional<Result> read_result(const std::string& folder);

// The checkpoints of a run: both, or only the best one of a published run (models/). Empty if it has none.
std::vector<Checkpoint> checkpoints_of(const std::string& folder);

// The configuration of a run.
Config run_config(const std::string& folder);

// The network of a run with a checkpoint's weights (their average, if the run has one), in evaluation mode,
// and the step of the checkpoint.
struct Loaded {
  Config config;
  models::NetworkPtr network;
  std::int64_t step = 0;

  // The network's output for a tensor on the CPU, computed on the network's device and copied back to the
  // CPU.
  [[nodiscard]] torch::Tensor predict(const torch::Tensor& input) const;
};
Loaded load(const std::string& folder, Checkpoint checkpoint, const torch::Device& device = torch::kCPU);

// The data of a run, or of another file, prepared for its network. Error for data with fields, units, axes or
// frame intervals other than the run's.
std::unique_ptr<Task> task_of(const std::string& folder, const std::string& data_file = "");

// Means and scales of the run's training data (Task::constants); empty if there are none.
NamedTensors run_constants(const std::string& folder);

// Evaluates a run on a split of its data, or of another file of the same kind.
struct Evaluation {
  Evaluated network;
  std::vector<std::pair<std::string, Metrics>> trivial;
  std::int64_t examples = 0;
  std::vector<std::string> notes;  // differences from the run's training data
};
Evaluation evaluate(const std::string& folder, Checkpoint checkpoint, Split split,
                    const std::string& data_file = "", const torch::Device& device = torch::kCPU);

// The network's predictions for some examples, for pictures; the first dimension counts examples.
struct Prediction {
  torch::Tensor input, target, prediction;
};
Prediction predict(const std::string& folder, Checkpoint checkpoint, Split split,
                   std::span<const std::int64_t> indices, const std::string& data_file = "",
                   const torch::Device& device = torch::kCPU);

}  // namespace gcan::train
