#include "gcan/experiments/watched_runs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gcan/experiments/run_sheet.h"
#include "tests/train/tiny_run.h"

namespace gcan::experiments {
namespace watched_runs_test {

using Json = nlohmann::json;
using test::Scratch;

TEST(WatchedRuns, AppearProgressAndEnd) {
  const Scratch scratch;
  const std::string data = test::tiny_data(scratch);
  std::filesystem::create_directories(scratch / "runs");
  WatchedRuns runs({scratch / "runs"});
  EXPECT_TRUE(Json::parse(runs.state())["runs"].empty());

  train::Observer observer;
  observer.stop = [steps = 0]() mutable { return ++steps == 20; };
  train::train(test::tiny_config(data), scratch / "runs/deep/mlp", observer);
  Json run = Json::parse(runs.state())["runs"].at(0);
  EXPECT_EQ(run["name"], "mlp");
  EXPECT_EQ(run["title"], "MLP");
  EXPECT_EQ(run["step"], 20);
  EXPECT_EQ(run["steps"], 40);
  EXPECT_FALSE(run["finished"].get<bool>());
  const std::string stamp = run["checkpoint"];
  EXPECT_FALSE(stamp.empty());

  train::train(test::tiny_config(data), scratch / "runs/deep/mlp");
  run = Json::parse(runs.state())["runs"].at(0);
  EXPECT_EQ(run["step"], 40);
  EXPECT_TRUE(run["finished"].get<bool>());
  EXPECT_NE(run["checkpoint"], stamp);
  EXPECT_GT(run["steps_per_second"].get<double>(), 0);

  const Json picture = Json::parse(runs.picture(scratch / "runs/deep/mlp"));
  EXPECT_EQ(picture["view"]["kind"], "bodies");
  EXPECT_EQ(picture["view"]["trajectories"].size(), 8U);
  EXPECT_EQ(Json::parse(runs.sheets())["view"]["runs"].size(), 1U);
}

TEST(WatchedRuns, OnlyWatchedRunsArePredicted) {
  const Scratch scratch;
  WatchedRuns runs({scratch / ""});
  EXPECT_TRUE(runs.runs().empty());
  EXPECT_TRUE(Json::parse(runs.picture("/etc"))["problem"].is_string());
  test::expect_error_with([&] { const WatchedRuns missing({scratch / "nothing"}); }, {"nothing"});
}

TEST(RunSheet, ShowsNonDefaultSettingsAndResults) {
  const Scratch scratch;
  train::train(test::tiny_config(test::tiny_data(scratch)), scratch / "run");
  const report::RunSheet sheet = run_sheet({"tiny", scratch / "run"});
  bool found = false;
  for (const auto& setting : sheet.settings) {
    if (setting.key != "train.steps") continue;
    found = true;
    EXPECT_EQ(setting.value, "40");
    EXPECT_EQ(setting.standard, "131072");
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(sheet.numbers.front().first, "test error, best checkpoint");
  EXPECT_FALSE(sheet.machine.empty());
  EXPECT_FALSE(sheet.curve.valid_steps.empty());
}

}  // namespace watched_runs_test
}  // namespace gcan::experiments
