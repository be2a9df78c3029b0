#include "gcan/experiments/experiment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "gcan/models/registry.h"
#include "tests/data/scratch.h"

namespace gcan::experiments {
namespace experiment_test {

using test::expect_error_with;

TEST(Experiment, EveryRowIsANetworkWithTheTitleOfTheTable) {
  std::set<std::string> names;
  for (const auto& experiment : all_experiments()) {
    EXPECT_TRUE(names.insert(experiment->name).second) << experiment->name;
    for (const Row& row : experiment->rows) {
      EXPECT_EQ(models::find(row.model).title, row.title) << experiment->name;
      EXPECT_TRUE(row.errors.empty() || row.errors.size() == experiment->sizes.size());
    }
  }
}

// Errors fall with more data; a copying mistake would probably violate that.
TEST(Experiment, ThePapersErrorsFallWithTheNumberOfTrajectories) {
  for (const auto& experiment : all_experiments()) {
    for (const Row& row : experiment->rows) {
      if (row.model == "gca-mlp-velocity") continue;  // 0.0418, then 0.0432 in the paper
      for (std::size_t i = 1; i < row.errors.size(); ++i)
        EXPECT_LT(row.errors[i], row.errors[i - 1]) << experiment->name << " " << row.model;
    }
  }
}

TEST(Experiment, PaperErrorsAreFoundByTheirTrajectories) {
  const Experiment& experiment = find_experiment("tetris-mlp");
  EXPECT_EQ(experiment.paper_error(experiment.row("gca-mlp"), 1024), 0.0420);
  EXPECT_TRUE(std::isnan(experiment.paper_error(experiment.row("mlp"), 100)));
}

// Steps, settings, label and name are those of the budget, and cells are distinct.
TEST(Experiment, CellsOfAllBudgetsHaveUniqueNames) {
  for (const auto& experiment : all_experiments()) {
    std::set<std::string> names;
    std::size_t count = 0;
    for (const Budget budget : experiment->budgets) {
      Plan plan(*experiment, budget);
      plan.choose_protocols(experiment->protocols);
      plan.choose_trajectories(experiment->sizes);
      plan.seeds = 2;
      for (const Cell& cell : plan.cells()) {
        EXPECT_GT(cell.steps, 0);
        EXPECT_FALSE(cell.settings.empty());
        names.insert(cell.name);
        ++count;
      }
    }
    EXPECT_EQ(names.size(), count) << experiment->name;
  }
}

TEST(Experiment, CellsAreTheProductOfAllChoices) {
  Plan plan(find_experiment("tetris-mlp"), Budget::paper);
  EXPECT_EQ(plan.cells().size(), 5U * 4U);
  plan.choose_models({"gca-mlp", "mlp"});
  plan.choose_trajectories({1024, 256, 1024});
  plan.choose_protocols({"paper", "ours"});
  plan.seeds = 3;
  const auto cells = plan.cells();
  EXPECT_EQ(cells.size(), 2U * 2U * 2U * 3U);
  EXPECT_EQ(cells.front().name, "mlp-256-paper-131072-1");
  EXPECT_EQ(cells.front().label, "MLP, 256 trajectories, protocol paper, seed 1");
}

TEST(Experiment, WrongNamesSuggestTheNearest) {
  expect_error_with([] { find_experiment("tetris-mpl"); }, {"tetris-mpl", "did you mean 'tetris-mlp'?"});
  const Experiment& tetris = find_experiment("tetris-mlp");
  expect_error_with([&] { static_cast<void>(tetris.budget_named("papr")); },
                    {"budget 'papr' in 'tetris-mlp'", "'paper'"});
  expect_error_with([&] { static_cast<void>(tetris.budget_named("workstation")); },
                    {"'workstation'", "smoke, laptop, paper"});
  Plan plan(find_experiment("tetris-gnn"), Budget::paper);
  expect_error_with([&] { plan.choose_protocols({"x"}); }, {"protocol 'x'", "ours, paper"});
  expect_error_with([&] { plan.choose_models({"gca-gn"}); },
                    {"gca-gn", "tetris-gnn", "did you mean 'gca-gnn'?"});
  expect_error_with([&] { plan.choose_trajectories({0}); }, {"from 1", "not 0"});
}

}  // namespace experiment_test
}  // namespace gcan::experiments
