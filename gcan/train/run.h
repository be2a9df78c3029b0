#pragma once

// The run folder, and what can be done with it.
//
//   config.toml        the resolved configuration, every key
//   run.json           what it ran on: version, commit, machine, threads, data and its checksum
//   data.safetensors   what the network was given of its data: means and scales; not where there is none
//   start.safetensors  the first weights of a run that began with those of another
//   metrics.jsonl      one JSON object a line: {"kind": "train" | "valid", "step": ...}
//   checkpoints/last   weights.safetensors, optimizer.safetensors, with EMA ema.safetensors; state.json
//   checkpoints/best   the same without the optimiser, of the step with the least validation error
//   result.json        written at the end: errors of both checkpoints, speed, trivial predictors
//
// `checkpoints` is a link to a hidden folder that is written completely before the link is switched by one
// rename: whenever a run is killed, the folder holds one whole checkpoint, the old or the new one.

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

// What an Observer sees of a run at work.
struct Progress {
  std::int64_t step = 0, steps = 0;
  std::int64_t first_step = 0;  // where this start of the program began
  double seconds = 0;           // since then
  double loss = 0;              // of this step's batch
  double learning_rate = 0;
  std::optional<double> valid, best;  // latest and least validation error
};

// Told by train() as it goes, in its thread. Leave empty what is of no interest.
struct Observer {
  std::function<void(const Progress&)> progress;          // after every step
  std::function<void(const std::string& sentence)> note;  // "goes on from step 4096"
  std::function<void()> begin;  // before the first step, when data and network are there
  std::function<bool()> stop;   // asked after every step; true saves a checkpoint and ends
};

enum class End { complete, was_complete, stopped };

struct Outcome {
  End end = End::complete;
  std::int64_t step = 0;         // the last one done
  std::optional<Result> result;  // unless stopped
};

// What a run begins with.
struct Start {
  std::string from = {};                     // a run whose weights are taken, as far as they fit; empty: none
  Checkpoint checkpoint = Checkpoint::best;  // of that run
};

// Trains in the folder: from the start where it is new or empty, on from its last checkpoint where it holds
// an unfinished run, and not at all where it holds a finished one. A run that was stopped or killed and goes
// on gives bit for bit the weights and metrics of one that was not, on the same machine, threads and
// settings. Error when the folder holds a run of another configuration (with the first key that differs),
// when the data is not that of before, when a file cannot be written or is damaged, and when the loss or a
// gradient is no longer finite (with the step and the largest gradients).
//
// With a group its ranks train together: all call it with the same configuration, rank 0 reads and writes the
// folder and is told of the progress, and a run that goes on with as many ranks gives the same bits. Error,
// the same on all ranks, when they differ in version, configuration, data or number of parameters;
// distributed::Fault when one of them is gone.
Outcome train(const Config& config, const std::string& folder, const Observer& observer = {},
              const std::shared_ptr<distributed::Group>& group = nullptr, const Start& start = {});

// The result of a finished run; none of an unfinished one.
std::optional<Result> read_result(const std::string& folder);

// The configuration of a run.
Config run_config(const std::string& folder);

// The network of a run with a checkpoint's weights (their average where the run kept one), in evaluation
// mode; `step` when they were reached.
struct Loaded {
  Config config;
  models::NetworkPtr network;
  std::int64_t step = 0;
};
Loaded load(const std::string& folder, Checkpoint checkpoint);

// The data of a run, or of another file where one is given, as its network was given them. Error for data
// with other fields, units, axes or times between frames than the network learned.
std::unique_ptr<Task> task_of(const std::string& folder, const std::string& data_file = "");

// Means and scales of the data that the run learned (Task::constants); empty where it has none.
NamedTensors run_constants(const std::string& folder);

// Evaluates a run on a split of its data, or of another file of the same kind where one is given.
struct Evaluation {
  Evaluated network;
  std::vector<std::pair<std::string, Metrics>> trivial;
  std::int64_t examples = 0;
  std::vector<std::string> notes;  // what differs from the data that the run learned
};
Evaluation evaluate(const std::string& folder, Checkpoint checkpoint, Split split,
                    const std::string& data_file = "");

// What the network makes of some examples, for pictures: tensors of the task, examples first.
struct Prediction {
  torch::Tensor input, target, prediction;
};
Prediction predict(const std::string& folder, Checkpoint checkpoint, Split split,
                   std::span<const std::int64_t> indices, const std::string& data_file = "");

}  // namespace gcan::train
