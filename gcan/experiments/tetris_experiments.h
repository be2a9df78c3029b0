#pragma once

// The paper's three Tetris tables as data: networks, numbers of training trajectories, the paper's errors;
// and what of them is to be run: budgets, protocols, seeds.

#include <cstdint>
#include <string>
#include <vector>

namespace gcan::experiments {

// A row of a table. `errors` are the paper's, for paper_trajectories(); empty where the paper has none.
struct TetrisRow {
  std::string model;  // in the registry: "gca-mlp"
  std::string title;  // in the table: "GCA-MLP"
  std::vector<double> errors;
  std::int64_t laptop_steps;  // of the budget laptop

  // NaN where the paper has none.
  [[nodiscard]] double paper_error(std::int64_t trajectories) const;
};

struct TetrisExperiment {
  std::string name;   // "tetris-mlp"
  std::string title;  // "Tetris: MLPs"
  std::string about;  // a sentence
  std::vector<TetrisRow> rows;
  std::vector<std::string> remarks;               // where the paper leaves something open
  std::vector<std::int64_t> laptop_trajectories;  // of the budget laptop

  // Error for a model that has no row, which says the nearest one that has.
  [[nodiscard]] const TetrisRow& row(const std::string& model) const;
};

// tetris-mlp, tetris-gnn, tetris-velocity.
const std::vector<TetrisExperiment>& tetris_experiments();
const TetrisExperiment& find_tetris_experiment(const std::string& name);

// 256, 1024, 4096 and 16384.
const std::vector<std::int64_t>& paper_trajectories();
inline constexpr std::int64_t kPaperSteps = 131072;

// smoke: a few steps on little data, to see that all works. laptop: about half an hour on two cores. paper:
// the paper's number of steps.
enum class Budget { smoke, laptop, paper };
// paper: Adam with the constant learning rate 1e-3. ours: a short linear warm-up to 3e-3 and a cosine down to
// 0, which serves all networks of a table better; the same for all of them.
enum class Protocol { paper, ours };

const char* to_string(Budget budget);
const char* to_string(Protocol protocol);
// Error with the nearest name that there is.
Budget budget_named(const std::string& text);
Protocol protocol_named(const std::string& text);

// One training run of an experiment.
struct TetrisCell {
  std::string model;
  std::int64_t trajectories = 0;
  Protocol protocol = Protocol::ours;
  std::int64_t steps = 0;
  std::int64_t seed = 1;
  bool smoke = false;

  // "gca-mlp-1024-ours-131072-1": tells all cells of an experiment apart.
  [[nodiscard]] std::string name() const;
};

// What of an experiment is asked for.
//
//   TetrisPlan plan(find_tetris_experiment("tetris-mlp"), Budget::laptop);
//   plan.choose_models({"mlp", "gca-mlp"});
//   plan.trajectories = {1024};
//   for (const TetrisCell& cell : plan.cells()) ...
struct TetrisPlan {
  const TetrisExperiment& experiment;
  Budget budget;
  std::vector<std::string> models;         // in the table's order
  std::vector<std::int64_t> trajectories;  // rising
  std::vector<Protocol> protocols{Protocol::ours};
  std::int64_t steps = 0;  // of every cell; 0: the budget's
  std::int64_t seeds = 1;  // each cell with the seeds 1, 2, ...

  TetrisPlan(const TetrisExperiment& of, Budget with);

  // Error for one that the table does not have, with the nearest.
  void choose_models(const std::vector<std::string>& names);
  // Error for one that is not a positive number, or too large to simulate.
  void choose_trajectories(const std::vector<std::int64_t>& numbers);

  // Few trajectories first, then in the table's order.
  [[nodiscard]] std::vector<TetrisCell> cells() const;
  [[nodiscard]] std::int64_t steps_of(const TetrisRow& row) const;
  [[nodiscard]] std::string steps_text() const;  // "131072", or by network: "MLP 32768, SO(3)-MLP 8192"
  // Validation and test trajectories: the paper's 1024 each, few of the budget smoke.
  [[nodiscard]] int held_out() const;
  // All that trains a cell, as "section.key=value".
  [[nodiscard]] std::vector<std::string> settings(const TetrisCell& cell, const std::string& data_file) const;
  // What differs from the paper, a sentence each.
  [[nodiscard]] std::vector<std::string> differences() const;
};

}  // namespace gcan::experiments
