#include "gcan/experiments/experiment_report.h"

#include <gtest/gtest.h>

#include "gcan/experiments/runner.h"
#include "gcan/files/durable.h"
#include "tests/train/tiny_run.h"

namespace gcan::experiments {
namespace experiment_report_test {

using test::Scratch;

TEST(ExperimentReport, ShowsTablesFigureCurvesAndMotion) {
  const Scratch folder;
  Plan plan(find_experiment("tetris-mlp"), Budget::smoke);
  plan.choose_models({"mlp", "gca-mlp"});
  plan.choose_trajectories({16, 256});
  plan.length = 4;
  const std::string data = prepare_data(plan, folder / "", 1);
  for (const Cell& cell : plan.cells()) {
    auto settings = cell.settings;
    settings.push_back("data.file=" + data);
    train::train(train::make_config(settings), run_folder(folder / "", cell));
  }
  const auto results = collect(plan, folder / "");
  ASSERT_EQ(results.cells.size(), 4U);
  const std::string page =
      write_experiment_report(plan, results, folder / "report", "gcan reproduce tetris-mlp");
  const std::string html = files::read_whole(page);
  for (const char* file : {"trajectories.png", "motion-1.gif", "motion-1.png", "motion-2.gif",
                           "16-learning.png", "16-steps.png", "256-learning.png", "256-steps.png"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / (std::string("report/") + file))) << file;
    EXPECT_NE(html.find(file), std::string::npos) << file;
  }
  EXPECT_NE(html.find("GCA-MLP, paper"), std::string::npos);
  EXPECT_NE(html.find("Steps: 4 instead of"), std::string::npos);
}

TEST(ExperimentReport, WithoutAFinishedRunIsAnError) {
  const Scratch folder;
  Plan plan(find_experiment("tetris-mlp"), Budget::smoke);
  const auto results = collect(plan, folder / "");
  test::expect_error_with([&] { write_experiment_report(plan, results, folder / "report", ""); },
                          {"tetris-mlp", "finished"});
  EXPECT_FALSE(std::filesystem::exists(folder / "report"));
}

}  // namespace experiment_report_test
}  // namespace gcan::experiments
