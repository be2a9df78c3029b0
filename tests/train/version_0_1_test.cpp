// Files of gcan 0.1.0 still load: tests/data/version-0.1.0 and the run tests/data/runs/debian-12, whose
// run.json says 0.1.0.
//
// The configurations are those of commit 688f962. The data files were written by later commits and reduced to
// the format of 688f962: without the checksum at the end of the file and, for smoke, without the option
// `generator`.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gcan/data/tetris_file.h"
#include "gcan/data/well_file.h"
#include "gcan/train/run.h"
#include "tests/data/scratch.h"
#include "tests/runner/source_dir.h"

namespace gcan::train {
namespace version_0_1_test {

namespace fs = std::filesystem;

const fs::path& kept() {
  static const fs::path folder = fs::path(test::source_dir()) / "tests/data/version-0.1.0";
  return folder;
}

TEST(Version01, ConfigurationsLoad) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kept() / "configs")) {
    const Config config = read_config(entry.path().string());
    EXPECT_GT(config.train.integer("steps"), 0) << entry.path();
    ++count;
  }
  EXPECT_EQ(count, 26);
}

TEST(Version01, TetrisFilesLoad) {
  const data::TetrisFile file((kept() / "tetris.h5").string());
  EXPECT_EQ(file.description().splits, (std::array{8, 4, 4}));
  EXPECT_EQ(file.read(data::Split::train, 8).positions.size(), 8U * 8 * 32 * 3);
}

TEST(Version01, FluidFilesLoad) {
  const data::WellReader file((kept() / "smoke.h5").string());
  const data::Description& d = file.description();
  EXPECT_EQ(d.splits, (std::array{2, 1, 1}));
  for (int i = 0; i < d.trajectories(); ++i) {
    EXPECT_EQ(file.status(i), data::Status::kComplete);
    EXPECT_EQ(file.trajectory(i).fields.size(), 2U);
  }
  const auto statistics = file.statistics(0);
  ASSERT_TRUE(statistics.has_value());
  EXPECT_GT(statistics->components.front().values.std(), 0);
}

TEST(Version01, RunsEvaluateOnTheirData) {
  const test::Scratch scratch;
  const std::string folder = scratch / "run";
  const fs::path run = fs::path(test::source_dir()) / "tests/data/runs/debian-12";
  fs::copy(run, folder, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  ASSERT_EQ(nlohmann::json::parse(test::contents(folder + "/run.json")).at("gcan").at("version"), "0.1.0");
  std::string text = test::contents(folder + "/config.toml");
  const std::string before = "file = \"";
  const std::size_t from = text.find(before) + before.size();
  text.replace(from, text.find('"', from) - from, (kept() / "tetris.h5").string());
  std::ofstream(folder + "/config.toml") << text;
  const auto state = nlohmann::json::parse(test::contents(folder + "/checkpoints/last/state.json"));
  const double best = state.at("best").get<double>();
  EXPECT_NEAR(evaluate(folder, Checkpoint::best, Split::valid).network.metrics.error, best, 1e-5 * best);
}

}  // namespace version_0_1_test
}  // namespace gcan::train
