// The runs in tests/data/runs, each written on the system that its folder names by
//   gcan train configs/tetris/gca-mlp.toml --out debian-12 --set data.file=tetris.h5 --set data.train=8
//     --set model.channels=2 --set train.batch=4 --set train.steps=1000000 --set train.warmup_steps=20
// and stopped after two seconds: they evaluate to their recorded error, and training resumes.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gcan/train/run.h"
#include "tests/data/scratch.h"
#include "tests/runner/source_dir.h"

namespace gcan::train {
namespace kept_runs_test {

namespace fs = std::filesystem;
using test::Scratch;

// A copy of the run whose configuration names a copy of the data, as a user who moved both would make it.
std::string moved(const fs::path& run, const Scratch& scratch) {
  const std::string folder = scratch / run.filename().string();
  fs::copy(run, folder, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  fs::copy(run.parent_path() / "tetris.h5", scratch / "tetris.h5", fs::copy_options::skip_existing);
  std::string text = test::contents(folder + "/config.toml");
  const std::string before = "file = \"";
  const std::size_t from = text.find(before) + before.size();
  text.replace(from, text.find('"', from) - from, scratch / "tetris.h5");
  std::ofstream(folder + "/config.toml") << text;
  return folder;
}

class KeptRuns : public testing::TestWithParam<std::string> {
 protected:
  const Scratch scratch_;
  const std::string folder_ = moved(test::source_dir() + "/tests/data/runs/" + GetParam(), scratch_);
  const nlohmann::json state_ =
      nlohmann::json::parse(test::contents(folder_ + "/checkpoints/last/state.json"));
};
INSTANTIATE_TEST_SUITE_P(Systems, KeptRuns, testing::Values("debian-12", "debian-13"), [](const auto& run) {
  std::string name = run.param;
  std::erase(name, '-');
  return name;
});

TEST_P(KeptRuns, ReproduceTheirRecordedError) {
  const double recorded = state_.at("best").get<double>();
  const Evaluation valid = evaluate(folder_, Checkpoint::best, Split::valid);
  EXPECT_EQ(valid.network.step, state_.at("best_step").get<std::int64_t>());
  EXPECT_NEAR(valid.network.metrics.error, recorded, 1e-5 * recorded);
}

TEST_P(KeptRuns, Resume) {
  Observer observer;
  int left = 3;
  observer.stop = [&] { return --left == 0; };
  const Outcome outcome = train(run_config(folder_), folder_, observer);
  EXPECT_EQ(outcome.step, state_.at("step").get<std::int64_t>() + 3);
}

}  // namespace kept_runs_test
}  // namespace gcan::train
