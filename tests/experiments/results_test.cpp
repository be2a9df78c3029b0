#include "gcan/experiments/results.h"

#include <gtest/gtest.h>

#include "gcan/files/durable.h"
#include "tests/data/scratch.h"
#include "tests/experiments/finished_runs.h"

namespace gcan::experiments {
namespace results_test {

using test::finish;
using test::Scratch;

Plan small_plan() {
  Plan plan(find_experiment("tetris-mlp"), Budget::smoke);
  plan.choose_models({"mlp", "gca-mlp"});
  return plan;
}

std::vector<std::string> texts(const std::vector<report::Cell>& row) {
  std::vector<std::string> result;
  for (const report::Cell& cell : row) result.push_back(cell.text);
  return result;
}

TEST(Results, TheTableHasThePaperOursAndTheTrivial) {
  const Scratch folder;
  Plan plan = small_plan();
  finish(folder / "", plan.cells()[0], 5, 4);
  finish(folder / "", plan.cells()[1], 0.5, 0.25);
  const auto results = collect(plan, folder / "");
  const report::Table table = error_table(plan, results);
  ASSERT_EQ(table.rows.size(), 5U);
  EXPECT_EQ(texts(table.rows[0]), (std::vector<std::string>{"MLP, paper", "4.51"}));
  EXPECT_EQ(texts(table.rows[1]), (std::vector<std::string>{"MLP, ours", "5.00 / 4.00"}));
  EXPECT_EQ(texts(table.rows[3]), (std::vector<std::string>{"GCA-MLP, ours", "0.500 / 0.250"}));
  EXPECT_EQ(texts(table.rows[4]), (std::vector<std::string>{"constant velocity", "7.00"}));
  EXPECT_FALSE(table.rows[1][1].strong);
  EXPECT_TRUE(table.rows[3][1].strong);
  EXPECT_EQ(run_table(plan, results).rows.size(), 2U);
}

TEST(Results, FurtherNumbersOfRunsMakeATable) {
  const Scratch folder;
  Plan plan(find_experiment("navier-stokes"), Budget::smoke);
  finish(folder / "", plan.cells()[0], 5, 4, {{"scaled_l2", 0.5}, {"rollout_5", 3}});
  finish(folder / "", plan.cells()[1], 2, 1, {{"scaled_l2", 0.25}});
  const auto results = collect(plan, folder / "");
  const report::Table table = metrics_table(plan, results);
  EXPECT_EQ(table.columns,
            (std::vector<std::string>{"network", "trajectories", "seed", "scaled_l2", "rollout_5"}));
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(texts(table.rows[0]), (std::vector<std::string>{"UNet", "8", "1", "0.500", "3.00"}));
  EXPECT_EQ(texts(table.rows[1]), (std::vector<std::string>{"GCA-UNet", "8", "1", "0.250", "-"}));
  EXPECT_EQ(texts(table.rows[2]), (std::vector<std::string>{"constant velocity", "", "", "-", "-"}));
  EXPECT_EQ(tables_of(plan, results).size(), 3U);
}

TEST(Results, WithoutFurtherNumbersThereAreTwoTables) {
  const Scratch folder;
  Plan plan = small_plan();
  finish(folder / "", plan.cells()[0], 5, 4);
  EXPECT_EQ(tables_of(plan, collect(plan, folder / "")).size(), 2U);
}

TEST(Results, ThePlanOfFluidsRoundTrips) {
  const Scratch folder;
  Plan plan(find_experiment("shallow-water-unet"), Budget::smoke);
  plan.length = 3;
  finish(folder / "", plan.cells()[2], 1, 1);
  write_results(plan, collect(plan, folder / ""), folder / "", "gcan reproduce shallow-water-unet");
  const Plan read = read_plan(folder / "");
  EXPECT_EQ(read.experiment.name, "shallow-water-unet");
  EXPECT_EQ(read.length, 3);
  EXPECT_EQ(read.cells().back().name, plan.cells().back().name);
}

TEST(Results, SeedsAreAveraged) {
  const Scratch folder;
  Plan plan = small_plan();
  plan.choose_models({"mlp"});
  plan.seeds = 2;
  finish(folder / "", plan.cells()[0], 5, 4);
  finish(folder / "", plan.cells()[1], 3, 1);
  const auto table = error_table(plan, collect(plan, folder / ""));
  EXPECT_EQ(table.rows[1][1].text, "4.00 / 2.50");
}

TEST(Results, RunsOfOtherModelsSizesAndSeedsJoinTheTable) {
  const Scratch folder;
  Plan more = small_plan();
  more.choose_models({"motor-mlp"});
  more.choose_trajectories({1024});
  more.seeds = 2;
  for (const Cell& cell : more.cells()) finish(folder / "", cell, 1, 1);
  Plan other_steps = more;
  other_steps.length = 99;
  finish(folder / "", other_steps.cells().front(), 1, 1);

  Plan plan = small_plan();
  const auto results = collect(plan, folder / "");
  EXPECT_EQ(results.cells.size(), 2U);
  EXPECT_EQ(plan.models, (std::vector<std::string>{"mlp", "motor-mlp", "gca-mlp"}));
  EXPECT_EQ(plan.trajectories, (std::vector<std::int64_t>{256, 1024}));
  EXPECT_EQ(plan.seeds, 2);
  EXPECT_EQ(texts(error_table(plan, results).rows[1]), (std::vector<std::string>{"MLP, ours", "-", "-"}));
}

TEST(Results, WrittenResultsContainTheirPlan) {
  const Scratch folder;
  Plan plan = small_plan();
  plan.choose_protocols({"paper", "ours"});
  plan.length = 16;
  plan.batch = 32;
  for (const Cell& cell : plan.cells()) finish(folder / "", cell, 1, 1);
  const auto results = collect(plan, folder / "");
  EXPECT_TRUE(write_results(plan, results, folder / "", "gcan reproduce tetris-mlp"));
  EXPECT_FALSE(write_results(plan, results, folder / "", "gcan reproduce tetris-mlp"));
  const Plan read = read_plan(folder / "");
  EXPECT_EQ(read.batch, 32);
  ASSERT_EQ(read.cells().size(), plan.cells().size());
  for (std::size_t i = 0; i < plan.cells().size(); ++i) EXPECT_EQ(read.cells()[i].name, plan.cells()[i].name);
  const std::string text = files::read_whole(folder / "results.md");
  EXPECT_NE(text.find("| GCA-MLP, ours (protocol paper)"), std::string::npos) << text;
  EXPECT_NE(text.find("    gcan reproduce tetris-mlp\n"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(files::read_whole(folder / "results.json"));
  EXPECT_EQ(json["cells"].size(), 4U);
  EXPECT_EQ(json["cells"][0]["test"]["best"]["error"], 1);
  EXPECT_EQ(json["cells"][0]["paper"], 4.5061);
}

TEST(Results, APlanKeepsItsLearningRate) {
  const Scratch folder;
  Plan plan = small_plan();
  plan.choose_learning_rate(0.0025);
  finish(folder / "", plan.cells()[0], 1, 1);
  write_results(plan, collect(plan, folder / ""), folder / "", "gcan reproduce tetris-mlp");
  EXPECT_EQ(read_plan(folder / "").learning_rate, 0.0025);
}

TEST(Results, PlansOfVersion01HaveTheUsualBatch) {
  const Scratch folder;
  std::ofstream(folder / "results.json")
      << R"({"experiment":"tetris-mlp","budget":"smoke","plan":{"models":["mlp"],"trajectories":[256],)"
      << R"("protocols":["ours"],"steps":0,"seeds":1}})";
  EXPECT_EQ(read_plan(folder / "").batch, 64);
}

TEST(Results, DamagedResultsAreNamed) {
  const Scratch folder;
  test::expect_error_with([&] { read_plan(folder / ""); }, {"results.json"});
  std::ofstream(folder / "results.json") << "{\"experiment\": \"tetris-mlp\"}";
  test::expect_error_with([&] { read_plan(folder / ""); }, {"results.json", "damaged"});
  std::ofstream(folder / "results.json") << "no";
  test::expect_error_with([&] { read_plan(folder / ""); }, {"results.json", "damaged"});
}

// With so many seeds, collecting the runs would neither end nor fit into memory.
TEST(Results, APlanWithImpossibleNumbersIsRefused) {
  const Scratch folder;
  const auto read_with = [&](const std::string& seeds, const std::string& steps) {
    std::ofstream(folder / "results.json")
        << R"({"experiment":"tetris-mlp","budget":"smoke","plan":{"models":["mlp"],"trajectories":[256],)"
        << R"("protocols":["ours"],"steps":)" << steps << R"(,"seeds":)" << seeds << "}}";
    return read_plan(folder / "");
  };
  EXPECT_EQ(read_with("2", "40").cells().size(), 2U);
  for (const char* seeds : {"4000000000000000000", "-1", "0", "1.5", "\"2\""})
    test::expect_error_with([&] { read_with(seeds, "40"); },
                            {"results.json", "'seeds' must be a whole number from 1 to 32"});
  test::expect_error_with([&] { read_with("1", "-5"); }, {"results.json", "'steps' must be"});
}

}  // namespace results_test
}  // namespace gcan::experiments
