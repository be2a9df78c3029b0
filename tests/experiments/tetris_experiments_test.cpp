#include "gcan/experiments/tetris_experiments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "gcan/models/registry.h"
#include "tests/data/scratch.h"

namespace gcan::experiments {
namespace {

using test::expect_error_with;

bool has(const std::vector<std::string>& settings, const std::string& setting) {
  return std::find(settings.begin(), settings.end(), setting) != settings.end();
}

TEST(TetrisExperiments, EveryRowIsANetworkWithTheTitleOfTheTable) {
  for (const TetrisExperiment& experiment : tetris_experiments()) {
    for (const TetrisRow& row : experiment.rows) {
      EXPECT_EQ(models::find(row.model).title, row.title) << experiment.name;
      EXPECT_TRUE(row.errors.empty() || row.errors.size() == paper_trajectories().size());
      EXPECT_GT(row.laptop_steps, 0);
    }
  }
}

// Properties of the paper's tables that a slip in copying would break: the GCA network is the best of each
// column, and of the two velocity MLPs and GNNs.
TEST(TetrisExperiments, ThePapersOwnNetworkIsTheBestOfItsTables) {
  for (const TetrisExperiment& experiment : tetris_experiments()) {
    for (const std::int64_t number : paper_trajectories()) {
      std::string best;
      double least = 1e9;
      for (const TetrisRow& row : experiment.rows) {
        if (row.paper_error(number) < least) least = row.paper_error(number), best = row.model;
      }
      EXPECT_TRUE(best.starts_with("gca-")) << experiment.name << " " << number;
    }
  }
  EXPECT_EQ(find_tetris_experiment("tetris-mlp").row("gca-mlp").paper_error(1024), 0.0420);
  EXPECT_TRUE(std::isnan(find_tetris_experiment("tetris-mlp").row("mlp").paper_error(100)));
}

TEST(TetrisExperiments, CellsAreTheProductOfAllChoices) {
  TetrisPlan plan(find_tetris_experiment("tetris-mlp"), Budget::paper);
  EXPECT_EQ(plan.cells().size(), 5U * 4U);
  plan.choose_models({"gca-mlp", "mlp"});
  plan.choose_trajectories({1024, 256, 1024});
  plan.protocols = {Protocol::paper, Protocol::ours};
  plan.seeds = 3;
  const auto cells = plan.cells();
  EXPECT_EQ(cells.size(), 2U * 2U * 2U * 3U);
  std::set<std::string> names;
  for (const TetrisCell& cell : cells) {
    names.insert(cell.name());
    EXPECT_EQ(cell.steps, kPaperSteps);
  }
  EXPECT_EQ(names.size(), cells.size());
  EXPECT_EQ(cells.front().name(), "mlp-256-paper-131072-1");
}

TEST(TetrisExperiments, BudgetsDifferInSteps) {
  const auto& experiment = find_tetris_experiment("tetris-gnn");
  const TetrisRow& row = experiment.row("gca-gnn");
  EXPECT_LT(TetrisPlan(experiment, Budget::smoke).steps_of(row),
            TetrisPlan(experiment, Budget::laptop).steps_of(row));
  EXPECT_EQ(TetrisPlan(experiment, Budget::paper).steps_of(row), 131072);
  TetrisPlan plan(experiment, Budget::paper);
  plan.steps = 9;
  EXPECT_EQ(plan.steps_of(row), 9);
  // A smoke run is never taken for another one.
  TetrisPlan smoke(experiment, Budget::smoke);
  smoke.steps = 9;
  EXPECT_NE(smoke.cells().front().name(), plan.cells().front().name());
}

TEST(TetrisExperiments, ProtocolsAreSettings) {
  TetrisPlan plan(find_tetris_experiment("tetris-mlp"), Budget::paper);
  TetrisCell cell = plan.cells().front();
  cell.protocol = Protocol::paper;
  const auto paper = plan.settings(cell, "data.h5");
  EXPECT_TRUE(has(paper, "train.learning_rate=0.001"));
  EXPECT_FALSE(has(paper, "train.schedule=cosine"));
  EXPECT_TRUE(has(paper, "data.file=data.h5"));
  EXPECT_TRUE(has(paper, "data.train=256"));
  cell.protocol = Protocol::ours;
  const auto ours = plan.settings(cell, "data.h5");
  EXPECT_TRUE(has(ours, "train.learning_rate=0.003"));
  EXPECT_TRUE(has(ours, "train.schedule=cosine"));
  EXPECT_TRUE(has(ours, "train.warmup_steps=1024"));
}

TEST(TetrisExperiments, WhatDiffersIsSaid) {
  TetrisPlan plan(find_tetris_experiment("tetris-mlp"), Budget::paper);
  plan.protocols = {Protocol::paper};
  for (const std::string& line : plan.differences()) EXPECT_FALSE(line.starts_with("Steps")) << line;
  plan.steps = 500;
  EXPECT_TRUE(plan.differences().front().starts_with("Steps: 500 instead")) << plan.differences().front();
}

TEST(TetrisExperiments, StepsThatDifferByNetworkAreListed) {
  TetrisPlan plan(find_tetris_experiment("tetris-gnn"), Budget::laptop);
  EXPECT_NE(plan.steps_text().find("EdgeConv 512, GNN (S) "), std::string::npos);
  EXPECT_EQ(TetrisPlan(plan.experiment, Budget::paper).steps_text(), "131072");
}

TEST(TetrisExperiments, WrongNamesSuggestTheNearest) {
  expect_error_with([] { find_tetris_experiment("tetris-mpl"); },
                    {"tetris-mpl", "did you mean 'tetris-mlp'?"});
  expect_error_with([] { budget_named("papr"); }, {"budget 'papr'", "'paper'"});
  expect_error_with([] { protocol_named("x"); }, {"protocol 'x'", "paper, ours"});
  TetrisPlan plan(find_tetris_experiment("tetris-gnn"), Budget::paper);
  expect_error_with([&] { plan.choose_models({"gca-gn"}); },
                    {"gca-gn", "tetris-gnn", "did you mean 'gca-gnn'?"});
  expect_error_with([&] { plan.choose_trajectories({0}); }, {"from 1", "not 0"});
}

}  // namespace
}  // namespace gcan::experiments
