#pragma once

// gcan/train: from a configuration to a trained network in a run folder: tasks, optimiser, schedule, loop,
// checkpoints, evaluation. Entry point: run.h. Nothing here parses arguments, draws pictures or changes a
// setting of the host program.
//
// This header: a task is data and what a prediction of it is worth. A new one is a class derived from Task
// and its lines in data_kinds() and, with its keys, in keys.cpp.

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
#include "gcan/train/keys.h"
#include "gcan/train/metrics.h"

namespace gcan::distributed {
class Group;
}  // namespace gcan::distributed

namespace gcan::train {

using data::Split;

// What is known of some data, by name: Task::record().
using DataRecord = std::vector<std::pair<std::string, config::Value>>;

// Examples along the first dimension of both.
struct Batch {
  torch::Tensor input, target;
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

  // Error, with the reason and what to do, unless the split has examples. Only what is used must be there:
  // batch(), evaluate() and trivial() of an empty split are this Error.
  virtual void require(Split split) const;

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

  // What a run records of its data: the file, its checksum, sizes. "checksum" tells other data apart,
  // "judged" other examples to judge by; "fields", "units", "axes", "grid" and "frame_seconds" are compared
  // where the network meets other data (data_check.h).
  [[nodiscard]] virtual DataRecord record() const = 0;

  // Numbers of the training data on which predictions depend, such as means to subtract. A run keeps them,
  // and its network is judged with them on whatever data.
  [[nodiscard]] virtual NamedTensors constants() const { return {}; }
  virtual void use_constants(const NamedTensors& /*constants*/) {}

  // Bytes that it will keep in memory at most beyond what it has now.
  [[nodiscard]] virtual std::int64_t memory() const { return 0; }

  // What a user should know of the data, a sentence each: trajectories that are left out.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

  // With whom an evaluation is shared: each process computes its part, and all get the numbers that one alone
  // would have got. Every process then calls evaluate() and trivial().
  void share_with(std::shared_ptr<distributed::Group> group) { group_ = std::move(group); }

 protected:
  [[nodiscard]] distributed::Group& group();

 private:
  std::shared_ptr<distributed::Group> group_;
};

// A kind of data, and how its task is made.
struct DataKind : DataEntry {
  std::function<std::unique_ptr<Task>(const config::Options&)> make;  // options of section "data"
};

const std::vector<DataKind>& data_kinds();

// Error for an unknown kind, which says the nearest known one.
const DataKind& find_data_kind(const std::string& name);

}  // namespace gcan::train
