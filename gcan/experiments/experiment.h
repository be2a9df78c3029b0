#pragma once

// The paper's tables as data: networks, numbers of training trajectories, the paper's errors; and the choice
// of what to run: budget, protocols, seeds. runner.h trains the networks, results.h makes the tables.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gcan/data/generate.h"

namespace gcan::experiments {

// smoke: a few steps on little data, to check that everything works. laptop: about half an hour on two cores.
// workstation: the laptop's grids and networks, trained for a night. paper: the paper's size.
enum class Budget { smoke, laptop, workstation, paper };
const char* to_string(Budget budget);

// A row of a table. `errors` are the paper's, for each of its numbers of trajectories; empty if it has none.
struct Row {
  std::string model;  // in the registry: "gca-mlp"
  std::string title;  // in the table: "GCA-MLP"
  std::vector<double> errors;
};

// One training run.
struct Cell {
  std::string model;
  std::int64_t trajectories = 0;
  std::string protocol;
  std::int64_t seed = 1;
  std::string name;                   // "gca-mlp-1024-ours-131072-1": unique in an experiment
  std::string label;                  // "GCA-MLP, 1024 trajectories", for display
  std::int64_t steps = 0;             // of training
  std::vector<std::string> settings;  // settings "section.key=value" that train it, without the data file
};

struct Plan;

// A table of the paper. A new one is a derived class and a line in all_experiments().
class Experiment {
 public:
  virtual ~Experiment() = default;

  std::string name;   // "tetris-mlp"
  std::string title;  // "Tetris: MLPs"
  std::string about;  // a sentence
  std::string data;   // the kind of data: "tetris" or "fluid"
  std::vector<Row> rows;
  std::vector<std::int64_t> sizes;     // the paper's numbers of training trajectories
  std::vector<std::string> protocols;  // ways to train, the default first
  std::string protocols_help;          // a line for --help; empty if there is only one protocol
  std::string length_unit;             // unit of the training length: "steps" or "epochs"
  std::int64_t batch = 0;  // usual examples in a step; 0: the budget's, which a plan cannot change
  std::vector<Budget> budgets{Budget::smoke, Budget::laptop, Budget::paper};
  std::string budgets_help;  // describes them
  std::string error_help;    // describes the errors of the table

  std::string metrics_help = {};  // and its further numbers

  // Error with a suggestion for a model without a row.
  [[nodiscard]] const Row& row(const std::string& model) const;
  // Error with a suggestion for an unknown name.
  [[nodiscard]] Budget budget_named(const std::string& text) const;
  // NaN if the paper has none.
  [[nodiscard]] double paper_error(const Row& row, std::int64_t number) const;

  // The numbers of training trajectories of a budget, ascending.
  [[nodiscard]] virtual std::vector<std::int64_t> trajectories(Budget budget) const = 0;
  // The number of validation trajectories, and of test trajectories.
  [[nodiscard]] virtual int held_out(Budget budget) const = 0;
  // The name of the data file without the number of training trajectories: "tetris".
  [[nodiscard]] virtual std::string data_name(Budget budget) const = 0;
  virtual data::Outcome simulate(Budget budget, const data::SetOptions& options,
                                 const data::Observer& observer) const = 0;

  // Fills name, steps and settings of a cell whose other fields are set.
  virtual void complete(Cell& cell, const Plan& plan) const = 0;
  // The differences from the paper, one sentence each.
  [[nodiscard]] virtual std::vector<std::string> differences(const Plan& plan) const = 0;

 protected:
  Experiment() = default;
  Experiment(const Experiment&) = default;
  Experiment& operator=(const Experiment&) = default;
};

const std::vector<std::unique_ptr<Experiment>>& all_experiments();
// Error with a suggestion for an unknown name.
const Experiment& find_experiment(std::string_view name);

constexpr std::int64_t kMostSeeds = 32;
constexpr std::int64_t kLargestBatch = 1'000'000;
constexpr std::int64_t kLongestTraining = 1'000'000'000;  // in an experiment's length_unit

// The part of an experiment to run.
//
//   Plan plan(find_experiment("tetris-mlp"), Budget::laptop);
//   plan.choose_models({"mlp", "gca-mlp"});
//   plan.choose_trajectories({1024});
//   for (const Cell& cell : plan.cells()) ...
struct Plan {
  const Experiment& experiment;
  Budget budget;
  std::vector<std::string> models;         // in the table's order
  std::vector<std::int64_t> trajectories;  // rising
  std::vector<std::string> protocols;
  std::int64_t length = 0;   // of each run, in experiment.length_unit; 0: the budget's
  std::int64_t seeds = 1;    // each cell with the seeds 1, 2, ...
  std::int64_t batch;        // examples in a step, if the experiment lets a plan choose
  double learning_rate = 0;  // the largest, of every network; 0: each network's own

  Plan(const Experiment& of, Budget with);

  // Error with a suggestion for a model that is not in the table.
  void choose_models(const std::vector<std::string>& names);
  // Error for a number that is not positive or too large to simulate.
  void choose_trajectories(const std::vector<std::int64_t>& numbers);
  // Error with a suggestion for an unknown one.
  void choose_protocols(const std::vector<std::string>& names);

  // Error for a rate that is not positive or too large, and for the paper's protocol, which has its own.
  void choose_learning_rate(double rate);

  // The part of a cell's name that distinguishes another batch and learning rate: "-batch16-rate0.003".
  [[nodiscard]] std::string variant() const;

  // Few trajectories first, then in the table's order.
  [[nodiscard]] std::vector<Cell> cells() const;
  [[nodiscard]] std::vector<std::string> differences() const { return experiment.differences(*this); }
};

}  // namespace gcan::experiments
