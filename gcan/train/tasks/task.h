#pragma once

// gcan/train: trains networks from configurations into run folders: tasks, optimiser, schedule, loop,
// checkpoints, evaluation. Entry point: run.h. This module does not parse arguments, draw pictures or change
// settings of the host program.
//
// This header: a task provides data and evaluates predictions. A new one is a class derived from Task, a line
// in data_kinds(), and its keys in keys.cpp.

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

// Facts about some data, by name: Task::record().
using DataRecord = std::vector<std::pair<std::string, config::Value>>;

// The first dimension of both counts examples.
struct Batch {
  torch::Tensor input, target;
};

// The extent of an evaluation: `quick` selects the best checkpoint, `full` computes everything that a table
// shows.
enum class Depth { quick, full };

// A network or a formula.
using Predictor = std::function<torch::Tensor(const torch::Tensor& input)>;

// Identifies a visit of the examples. Random choices of a task (a start time, an augmentation) must be
// functions of the visit and the example, without state, so that a resumed run makes the same ones.
struct Visit {
  std::uint64_t seed = 0;
  std::int64_t step = 0;
};

// Data in three splits, a loss and metrics.
//
//   const auto task = make_task(options);                     // options of section "data"
//   const Batch batch = task->batch(Split::train, indices, visit);
//   task->loss(network->forward(batch.input), batch.target).backward();
//   task->evaluate(Split::valid, [&](const auto& x) { return network->forward(x); }).error;
class Task {
 public:
  virtual ~Task() = default;

  [[nodiscard]] virtual std::int64_t size(Split split) const = 0;

  // Error, with the reason and the remedy, if the split is empty. A split may be empty as long as it is not
  // used: batch(), evaluate() and trivial() throw this Error.
  virtual void require(Split split) const;

  // The examples with these indices, in this order.
  virtual Batch batch(Split split, std::span<const std::int64_t> indices, const Visit& visit) = 0;

  // Announces the next call of batch(), which may then be prepared in the background.
  virtual void expect(Split /*split*/, std::span<const std::int64_t> /*indices*/, const Visit& /*visit*/) {}

  // A differentiable scalar.
  [[nodiscard]] virtual torch::Tensor loss(const torch::Tensor& prediction,
                                           const torch::Tensor& target) const = 0;

  // The loss of a training batch: of one prediction, unless the task trains through several.
  [[nodiscard]] virtual torch::Tensor training_loss(const Predictor& predictor, const Batch& batch) const {
    return loss(predictor(batch.input), batch.target);
  }

  // Over the whole split, without gradients; a task may feed predictions back to the predictor.
  virtual Metrics evaluate(Split split, const Predictor& predictor, Depth depth) = 0;

  // Predictors that learn nothing ("constant velocity", "persistence"), by name, for comparison.
  virtual std::vector<std::pair<std::string, Metrics>> trivial(Split split) = 0;

  // A run's record of its data: the file, its checksum, sizes. "checksum" identifies the data, "judged" the
  // test examples; "fields", "units", "axes", "grid" and "frame_seconds" are compared when the network is
  // applied to other data (data_check.h).
  [[nodiscard]] virtual DataRecord record() const = 0;
  // The part of it that is known without reading the examples. "stored_checksums", computed from the file's
  // checksums, identifies the data.
  [[nodiscard]] virtual DataRecord outline() const { return record(); }

  // Constants of the training data on which predictions depend, such as means to subtract. A run stores them
  // and uses them for all data.
  [[nodiscard]] virtual NamedTensors constants() const { return {}; }
  virtual void use_constants(const NamedTensors& /*constants*/) {}

  // An upper bound for the additional memory that it will use, in bytes.
  [[nodiscard]] virtual std::int64_t memory() const { return 0; }

  // Notes on the data for the user, such as trajectories that are left out.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

  // Shares evaluations among the processes of a group: each computes a part, and all get the numbers that a
  // single process would. All processes must then call evaluate() and trivial().
  void share_with(std::shared_ptr<distributed::Group> group) { group_ = std::move(group); }

 protected:
  [[nodiscard]] distributed::Group& group();

 private:
  std::shared_ptr<distributed::Group> group_;
};

// A kind of data and the factory of its task.
struct DataKind : DataEntry {
  std::function<std::unique_ptr<Task>(const config::Options&)> make;  // options of section "data"
};

const std::vector<DataKind>& data_kinds();

// Error with a suggestion for an unknown kind.
const DataKind& find_data_kind(const std::string& name);

}  // namespace gcan::train
