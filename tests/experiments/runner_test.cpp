#include "gcan/experiments/runner.h"

#include <gtest/gtest.h>

#include <map>

#include "gcan/data/tetris_file.h"
#include "gcan/train/config.h"
#include "tests/data/scratch.h"
#include "tests/experiments/finished_runs.h"

namespace gcan::experiments {
namespace runner_test {

using test::Scratch;

Plan small_plan(std::int64_t trajectories = 32) {
  Plan plan(find_experiment("tetris-mlp"), Budget::smoke);
  plan.choose_models({"mlp", "gca-mlp"});
  plan.choose_trajectories({trajectories});
  return plan;
}

// Cells that run a shell script instead of gcan, with the configuration as $1 and the run as $2.
RunnerOptions with_script(const std::string& folder, const std::string& script) {
  RunnerOptions options;
  options.folder = folder;
  options.jobs = 2;
  options.settings = {"data.file=data.h5"};
  options.command = [script](const std::string& config, const std::string& run) {
    return std::vector<std::string>{"/bin/sh", "-c", script, "sh", config, run};
  };
  return options;
}

// A script that writes a run's result.
std::string leave_result() {
  return "mkdir -p \"$2\" && printf '%s' '" + train::to_json(test::result_with(2, 1)).dump() +
         "' > \"$2/result.json\"";
}

TEST(Runner, DataIsSimulatedOnceAndLargeEnough) {
  const Scratch folder;
  Plan plan = small_plan(32);
  const std::string file = prepare_data(plan, folder / "", 1);
  EXPECT_EQ(data::TetrisFile(file).trajectories(data::Split::train), 32U);
  EXPECT_EQ(data::TetrisFile(file).trajectories(data::Split::test),
            static_cast<std::size_t>(plan.experiment.held_out(plan.budget)));
  const auto time = std::filesystem::last_write_time(file);
  EXPECT_EQ(prepare_data(plan, folder / "", 1), file);
  EXPECT_EQ(std::filesystem::last_write_time(file), time);
  EXPECT_NE(prepare_data(small_plan(48), folder / "", 1), file);
}

TEST(Runner, FinishedCellsAreSkipped) {
  const Scratch folder;
  const Plan plan = small_plan();
  test::finish(folder / "", plan.cells()[0], 2, 1);
  std::vector<std::string> notes;
  RunnerObserver observer;
  observer.note = [&](const std::string& sentence) { notes.push_back(sentence); };
  const auto outcome = run_cells(
      plan.cells(), with_script(folder / "", "echo x >> \"$2.starts\"; " + leave_result()), observer);
  EXPECT_TRUE(outcome.failures.empty());
  EXPECT_FALSE(outcome.stopped);
  EXPECT_FALSE(std::filesystem::exists(run_folder(folder / "", plan.cells()[0]) + ".starts"));
  EXPECT_TRUE(std::filesystem::exists(run_folder(folder / "", plan.cells()[1]) + ".starts"));
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0], "1 of 2 runs are finished already");
  EXPECT_TRUE(notes[1].starts_with("[2/2] GCA-MLP, 32 trajectories: test error 2, best 1")) << notes[1];
}

TEST(Runner, AFailedCellIsNamedAndTheOthersContinue) {
  const Scratch folder;
  const Plan plan = small_plan();
  const std::string script =
      "case $2 in *-gca-mlp-*) " + leave_result() + ";; *) echo 'gcan: the disk is full' >&2; exit 1;; esac";
  const auto outcome = run_cells(plan.cells(), with_script(folder / "", script));
  ASSERT_EQ(outcome.failures.size(), 1U);
  EXPECT_EQ(outcome.failures[0].first.model, "mlp");
  EXPECT_EQ(outcome.failures[0].second, "the disk is full");
  EXPECT_TRUE(std::filesystem::exists(run_folder(folder / "", plan.cells()[1]) + "/result.json"));
}

TEST(Runner, AStopReachesRunningCellsAndStartsNoMore) {
  const Scratch folder;
  Plan plan = small_plan();
  plan.seeds = 2;
  const std::string script =
      "trap 'echo saved > \"$2.saved\"; exit 143' TERM; mkdir -p \"$2\"; while :; do sleep 0.02; done";
  const auto started = [&](std::size_t i) {
    return std::filesystem::exists(run_folder(folder / "", plan.cells()[i]));
  };
  RunnerObserver observer;
  observer.stop = [&] { return started(0) && started(1); };
  const auto outcome = run_cells(plan.cells(), with_script(folder / "", script), observer);
  EXPECT_TRUE(outcome.stopped);
  EXPECT_TRUE(outcome.failures.empty());
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_TRUE(std::filesystem::exists(run_folder(folder / "", plan.cells()[i]) + ".saved"));
  }
  EXPECT_FALSE(started(2));
}

TEST(Runner, ConfigurationsAreReadableAndReportProgress) {
  const Scratch folder;
  const Plan plan = small_plan();
  const std::string script =
      "mkdir -p \"$2\"; echo '{\"kind\":\"train\",\"step\":8,\"loss\":0.5}' > \"$2/metrics.jsonl\"; sleep "
      "0.6; " +
      leave_result();
  std::map<std::string, double> losses;
  RunnerObserver observer;
  observer.progress = [&](std::int64_t done, std::int64_t total, const std::vector<CellProgress>& running) {
    EXPECT_EQ(total, 32);
    EXPECT_LE(done, total);
    for (const CellProgress& p : running) {
      if (p.loss) losses[p.cell.model] = *p.loss;
    }
  };
  RunnerOptions options = with_script(folder / "", script);
  options.threads = 3;
  run_cells(plan.cells(), options, observer);
  EXPECT_EQ(losses, (std::map<std::string, double>{{"mlp", 0.5}, {"gca-mlp", 0.5}}));
  const auto config = train::read_config(folder / ("configs/" + plan.cells()[1].name + ".toml"));
  EXPECT_EQ(config.model_name, "gca-mlp");
  EXPECT_TRUE(config.data.text("file").ends_with("/data.h5"));
  EXPECT_EQ(config.train.integer("threads"), 3);
  EXPECT_EQ(config.train.integer("steps"), plan.cells()[1].steps);
}

}  // namespace runner_test
}  // namespace gcan::experiments
