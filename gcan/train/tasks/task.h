#pragma once

// gcan/train: from a configuration to a trained network in a run folder: tasks, optimiser, schedule, loop,
// checkpoints, evaluation. Entry point: run.h. Nothing here parses arguments, draws pictures or changes a
// setting of the host program.
//
// This header: a task is data and what a prediction of it is worth. A new one is a class derived from Task
// and its line in data_kinds().

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gcan/config/options.h"
#include "gcan/data/split.h"
#include "gcan/models/registry.h"
#include "gcan/torch.h"
#include "gcan/train/files/safetensors.h"

namespace gcan::train {

using data::Split;

// Examples along the first dimension of both.
struct Batch {
  torch::Tensor input, target;
};

// What an evaluation says. `error` chooses the best checkpoint: lower is better.
struct Metrics {
  double error = 0;
  std::vector<double> by_step = {};                       // the share of each predicted step in `error`
  std::vector<std::pair<std::string, double>> more = {};  // further numbers by name: per field, rollouts
  // Rows of numbers by name: the error of a rollout by its steps, a spectrum.
  std::vector<std::pair<std::string, std::vector<double>>> curves = {};

  // Null where the name is not there.
  [[nodiscard]] const double* find_number(const std::string& name) const;
  [[nodiscard]] const std::vector<double>* find_curve(const std::string& name) const;
  // The same, an Error for a name that is not there.
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] const std::vector<double>& curve(const std::string& name) const;
};

// How much of an evaluation: `quick` what chooses the best checkpoint, `full` everything that a table shows.
enum class Depth { quick, full };

// Whatever predicts: a network, or a formula.
using Predictor = std::function<torch::Tensor(const torch::Tensor& input)>;

// Names a visit of the examples. A task that draws random numbers (a start time, an augmentation) draws
// them as a function of the visit and of the example, never from a state, so that a resumed run sees the
// same ones.
struct Visit {
  std::uint64_t seed = 0;
  std::int64_t step = 0;
};

// Data in three splits, the loss to train with, and the numbers to judge by.
//
//   const auto task = make_task(options);                     // options of section "data"
//   const Batch batch = task->batch(Split::train, indices, visit);
//   task->loss(network->forward(batch.input), batch.target).backward();
//   task->evaluate(Split::valid, [&](const auto& x) { return network->forward(x); }).error;
class Task {
 public:
  virtual ~Task() = default;

  [[nodiscard]] virtual std::int64_t size(Split split) const = 0;

  // The examples of these indices, in this order.
  virtual Batch batch(Split split, std::span<const std::int64_t> indices, const Visit& visit) = 0;

  // Says that batch() will be asked for this next, so that it can be read in the background.
  virtual void expect(Split /*split*/, std::span<const std::int64_t> /*indices*/, const Visit& /*visit*/) {}

  // A scalar with a gradient.
  [[nodiscard]] virtual torch::Tensor loss(const torch::Tensor& prediction,
                                           const torch::Tensor& target) const = 0;

  // Over the whole split, without gradients; a task may call the predictor on its own predictions.
  virtual Metrics evaluate(Split split, const Predictor& predictor, Depth depth) = 0;

  // What needs no network ("constant velocity", "persistence"), by name: a network must beat these.
  virtual std::vector<std::pair<std::string, Metrics>> trivial(Split split) = 0;

  // What a run records of its data: the file, its checksum, sizes. "checksum" tells other data apart.
  [[nodiscard]] virtual std::vector<std::pair<std::string, config::Value>> record() const = 0;

  // Numbers of the training data on which predictions depend, such as means to subtract. A run keeps them,
  // and its network is judged with them on whatever data.
  [[nodiscard]] virtual NamedTensors constants() const { return {}; }
  virtual void use_constants(const NamedTensors& /*constants*/) {}

  // What a user should know of the data, a sentence each: trajectories that are left out.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

// A kind of data: what `data.kind` of a configuration names, and its keys beside it. An option "file" is a
// path, which configurations may give relative to the working folder.
struct DataKind {
  std::string name;  // "tetris"
  std::string summary;
  models::Kind networks;  // those that fit
  std::vector<config::Option> options;
  std::function<std::unique_ptr<Task>(const config::Options&)> make;  // options of section "data"
};

const std::vector<DataKind>& data_kinds();

// Error for an unknown kind, which says the nearest known one.
const DataKind& find_data_kind(const std::string& name);

}  // namespace gcan::train
