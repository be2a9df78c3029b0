#include "gcan/experiments/tetris_experiments.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/data/scratch.h"
#include "tests/experiments/settings.h"

namespace gcan::experiments {
namespace tetris_experiments_test {

using test::has;

// A property of the paper's tables that a copying mistake would probably violate.
TEST(TetrisExperiments, ThePapersOwnNetworkIsTheBestOfItsTables) {
  for (const auto& experiment : tetris_experiments()) {
    for (const std::int64_t number : experiment->sizes) {
      std::string best;
      double least = 1e9;
      for (const Row& row : experiment->rows) {
        const double error = experiment->paper_error(row, number);
        if (error < least) least = error, best = row.model;
      }
      EXPECT_TRUE(best.starts_with("gca-")) << experiment->name << " " << number;
    }
  }
}

TEST(TetrisExperiments, BudgetsDifferInSteps) {
  const Experiment& experiment = find_experiment("tetris-gnn");
  const auto steps = [&](Budget budget, std::int64_t length = 0) {
    Plan plan(experiment, budget);
    plan.choose_models({"gca-gnn"});
    plan.length = length;
    return plan.cells().front().steps;
  };
  EXPECT_LT(steps(Budget::smoke), steps(Budget::laptop));
  EXPECT_EQ(steps(Budget::paper), 131072);
  EXPECT_EQ(steps(Budget::paper, 9), 9);
}

TEST(TetrisExperiments, ProtocolsAreSettings) {
  Plan plan(find_experiment("tetris-mlp"), Budget::paper);
  plan.choose_models({"gca-mlp"});
  plan.choose_protocols({"paper", "ours"});
  const auto paper = plan.cells()[0].settings, ours = plan.cells()[1].settings;
  EXPECT_TRUE(has(paper, "train.learning_rate=0.001"));
  EXPECT_FALSE(has(paper, "train.schedule=cosine"));
  EXPECT_TRUE(has(paper, "data.train=256"));
  EXPECT_TRUE(has(ours, "train.learning_rate=0.003"));
  EXPECT_TRUE(has(ours, "train.schedule=cosine"));
  EXPECT_TRUE(has(ours, "train.warmup_steps=1024"));
}

// With all steps the rate depends on the amount of data; with few it does not.
TEST(TetrisExperiments, RatesAreListed) {
  Plan plan(find_experiment("tetris-mlp"), Budget::paper);
  plan.choose_models({"gca-mlp"});
  plan.trajectories = {1024, 5000, 16384};
  const auto rates = [&] {
    std::vector<std::string> all;
    for (const Cell& cell : plan.cells()) {
      for (const std::string& setting : cell.settings) {
        if (setting.starts_with("train.learning_rate=")) all.push_back(setting.substr(20));
      }
    }
    return all;
  };
  EXPECT_EQ(rates(), (std::vector<std::string>{"0.001", "0.003", "0.01"}));
  const std::string said = fmt::format("{}", fmt::join(plan.differences(), "\n"));
  EXPECT_NE(said.find("GCA-MLP 0.001, 0.003 from 5000 trajectories on, 0.01 from 16384 trajectories on."),
            std::string::npos)
      << said;
  plan.length = 1000;
  EXPECT_EQ(rates(), (std::vector<std::string>{"0.003", "0.003", "0.003"}));
}

TEST(TetrisExperiments, RunsWithAnotherBatchAreOtherRuns) {
  Plan plan(find_experiment("tetris-gnn"), Budget::paper);
  const auto usual = plan.cells();
  plan.batch = 64;  // the default, chosen
  EXPECT_EQ(plan.cells().front().name, usual.front().name);
  plan.batch = 16;
  const auto cells = plan.cells();
  EXPECT_EQ(cells.front().name, "edgeconv-256-ours-131072-batch16-1");
  EXPECT_FALSE(has(usual.front().settings, "train.batch=16"));
  EXPECT_TRUE(has(cells.front().settings, "train.batch=16"));
  const auto lines = plan.differences();
  EXPECT_NE(std::find(lines.begin(), lines.end(), "Batch: 16; the paper does not say."), lines.end());
  plan.batch = 1000;  // more than there are examples
  EXPECT_TRUE(has(plan.cells().front().settings, "train.batch=256"));
}

TEST(TetrisExperiments, LearningRatesCanBeChosen) {
  Plan plan(find_experiment("tetris-gnn"), Budget::paper);
  plan.choose_learning_rate(0.003);
  EXPECT_EQ(plan.cells().front().name, "edgeconv-256-ours-131072-rate0.003-1");
  EXPECT_TRUE(has(plan.cells().front().settings, "train.learning_rate=0.003"));
  const std::string said = fmt::format("{}", fmt::join(plan.differences(), "\n"));
  EXPECT_NE(said.find("EdgeConv 0.003; GNN (S) 0.003"), std::string::npos) << said;
  for (const double rate : {0.0, -1.0, 11.0, std::nan("")})
    test::expect_error_with([&] { plan.choose_learning_rate(rate); }, {"above 0 and at most 10"});
  plan.choose_protocols({"paper"});
  test::expect_error_with([&] { plan.choose_learning_rate(0.003); }, {"protocol paper"});
}

TEST(TetrisExperiments, DifferencesFromThePaperAreListed) {
  Plan plan(find_experiment("tetris-mlp"), Budget::paper);
  plan.choose_protocols({"paper"});
  for (const std::string& line : plan.differences()) EXPECT_FALSE(line.starts_with("Steps")) << line;
  plan.length = 500;
  EXPECT_TRUE(plan.differences().front().starts_with("Steps: 500 instead")) << plan.differences().front();
}

TEST(TetrisExperiments, StepsThatDifferByNetworkAreListed) {
  const Plan plan(find_experiment("tetris-gnn"), Budget::laptop);
  EXPECT_NE(plan.differences().front().find("EdgeConv 1024, GNN (S) "), std::string::npos)
      << plan.differences().front();
}

}  // namespace tetris_experiments_test
}  // namespace gcan::experiments
