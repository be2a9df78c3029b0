#include "gcan/data/tetris_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gcan/data/generate.h"
#include "gcan/sim/tetris/simulate.h"
#include "tests/data/scratch.h"

namespace gcan::data {
namespace tetris_file_test {

using test::cut_to;
using test::expect_error_with;
using test::Scratch;

std::string make(const Scratch& scratch, const std::string& name, std::array<int, 3> splits,
                 TetrisSet set = {}, bool compress = false, int threads = 1) {
  SetOptions options{splits, scratch / name, compress, threads};
  generate(set, options, {});
  return options.out;
}

bool starts_with(const std::vector<float>& longer, const std::vector<float>& shorter) {
  return shorter.size() <= longer.size() && std::equal(shorter.begin(), shorter.end(), longer.begin());
}

TEST(TetrisFile, ContainsTheSimulatorsOutput) {
  const Scratch scratch;
  TetrisSet set;
  set.options = {.orientation = sim::tetris::Orientation::scene,
                 .max_angle = 0.1,
                 .translation = sim::tetris::Translation::ball,
                 .max_offset = 0.7,
                 .rho = 0.3,
                 .deformation_sigma = 0.002,
                 .deformation = sim::tetris::Deformation::per_step,
                 .steps = 6,
                 .seed = 77};
  for (const bool compress : {false, true}) {
    const TetrisFile file(make(scratch, compress ? "b.h5" : "a.h5", {70, 3, 2}, set, compress));
    EXPECT_EQ(difference(file.description().recorded(), describe(set, {70, 3, 2}).recorded()), "");
    EXPECT_EQ(file.options().orientation, sim::tetris::Orientation::scene);
    EXPECT_EQ(file.options().seed, 77U);
    for (const Split split : {Split::train, Split::valid, Split::test}) {
      const sim::tetris::Job job{set.options, static_cast<std::uint64_t>(trajectory_number(split, 0)),
                                 file.trajectories(split), 1};
      std::vector<float> positions(job.size()), velocities(job.size());
      sim::tetris::simulate(job, positions, velocities);
      const TetrisSplit read = file.read(split);
      EXPECT_EQ(read.trajectories, job.trajectories);
      EXPECT_EQ(read.positions, positions);
      EXPECT_EQ(read.velocities, velocities);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(scratch / "a.h5.partial"));
}

TEST(TetrisFile, MoreTrainingDataDoesNotChangeTheRest) {
  const Scratch scratch;
  const TetrisFile small(make(scratch, "small.h5", {20, 5, 5}));
  const TetrisFile large(make(scratch, "large.h5", {300, 5, 8}, {}, false, 3));
  const TetrisSplit train = small.read(Split::train);
  EXPECT_TRUE(starts_with(large.read(Split::train).positions, train.positions));
  EXPECT_EQ(large.read(Split::train, 20).velocities, train.velocities);
  EXPECT_EQ(large.read(Split::valid).positions, small.read(Split::valid).positions);
  EXPECT_TRUE(starts_with(large.read(Split::test).positions, small.read(Split::test).positions));
  EXPECT_FALSE(starts_with(train.positions, small.read(Split::valid).positions));
  EXPECT_FALSE(starts_with(small.read(Split::test).positions, small.read(Split::valid).positions));
}

TEST(TetrisFile, StatisticsAreOfTheTrainingTrajectories) {
  const Scratch scratch;
  const TetrisFile file(make(scratch, "a.h5", {40, 30, 30}));
  const TetrisSplit train = file.read(Split::train);
  for (const bool velocity : {false, true}) {
    const auto& values = velocity ? train.velocities : train.positions;
    const auto statistics = velocity ? file.velocity_statistics() : file.position_statistics();
    for (std::size_t i = 0; i < 3; ++i) {
      double sum = 0, squares = 0;
      for (std::size_t at = i; at < values.size(); at += 3) {
        sum += static_cast<double>(values[at]);
        squares += std::pow(static_cast<double>(values[at]), 2);
      }
      const auto n = static_cast<double>(values.size()) / 3;
      EXPECT_NEAR(statistics[i].mean, sum / n, 1e-9);
      EXPECT_NEAR(statistics[i].rms, std::sqrt(squares / n), 1e-9);
      EXPECT_NEAR(statistics[i].std, std::sqrt(squares / n - sum * sum / n / n), 1e-9);
    }
  }
}

TEST(TetrisFile, TheSameRunMakesTheSameBytes) {
  const Scratch scratch;
  const auto bytes = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(bytes(make(scratch, "a.h5", {200, 2, 2})),
            bytes(make(scratch, "b.h5", {200, 2, 2}, {}, false, 3)));
}

TEST(TetrisFile, IsKeptIfComplete) {
  const Scratch scratch;
  const std::string path = make(scratch, "a.h5", {4, 1, 1});
  EXPECT_TRUE(generate(TetrisSet{}, {{4, 1, 1}, path}, {}).was_there);
  expect_error_with(
      [&] {
        generate(TetrisSet{}, {{5, 1, 1}, path}, {});
      },
      {path, "train 4 (now 5)", "remove it"});
  TetrisSet other;
  other.options.seed = 9;
  expect_error_with([&] { generate(other, {{4, 1, 1}, path}, {}); }, {"seed 0 (now 9)"});
  expect_error_with([&] { TetrisFile(path).read(Split::train, 5); }, {path, "5", "has 4"});
}

TEST(TetrisFile, SupportsEmptySplits) {
  const Scratch scratch;
  const TetrisFile file(make(scratch, "a.h5", {0, 2, 0}, {}, true));
  EXPECT_TRUE(file.read(Split::train).positions.empty());
  EXPECT_EQ(file.read(Split::valid).trajectories, 2U);
}

TEST(TetrisFile, NamesTheDamagedTrajectory) {
  const Scratch scratch;
  for (const std::string& field : {std::string("positions"), std::string("velocities")}) {
    const std::string path = make(scratch, field, {5, 1, 1});
    {
      Hdf5File file(path, Hdf5File::Mode::kChange);
      const float wrong = 1e-3F;
      file.write_part<float>("train/" + field, {3, 2, 7, 1}, {1, 1, 1, 1}, std::span(&wrong, 1));
    }
    const TetrisFile file(path);
    expect_error_with([&] { file.read(Split::train); }, {path, "train/" + field, "trajectory 3 is damaged"});
    EXPECT_EQ(file.read(Split::train, 3).trajectories, 3U);
    EXPECT_EQ(file.read(Split::test).trajectories, 1U);
  }
}

TEST(TetrisFile, RejectsTruncatedFiles) {
  const Scratch scratch;
  const std::string path = make(scratch, "a.h5", {5, 1, 1});
  cut_to(path, 0.6);
  expect_error_with([&] { TetrisFile{path}; }, {path, "cut short"});
  cut_to(path, 0);
  expect_error_with([&] { TetrisFile{path}; }, {path, "not an HDF5 file"});
  expect_error_with([&] { TetrisFile{scratch / "none.h5"}; }, {"none.h5", "no such file"});
}

TEST(TetrisFile, RejectsOtherFiles) {
  const Scratch scratch;
  const std::string smoke = scratch / "smoke.h5";
  SmokeSet set;
  set.options.cells = 16, set.options.length = 4, set.options.steps = 1, set.options.skip_steps = 0;
  generate(set, {{1, 0, 0}, smoke}, {});
  expect_error_with([&] { TetrisFile{smoke}; }, {smoke, "not a Tetris file"});
  std::ofstream(scratch / "text.h5") << "words";
  expect_error_with([&] { TetrisFile{scratch / "text.h5"}; }, {"text.h5", "not an HDF5 file"});
  // A Tetris file that lost a part, or whose options say something else.
  const std::string path = make(scratch, "a.h5", {5, 1, 1});
  { Hdf5File(path, Hdf5File::Mode::kChange).set("gcan/options", "train", std::int64_t{6}); }
  expect_error_with([&] { TetrisFile{path}; }, {path, "'train/positions' is 5 x 8", "imply 6 x 8"});
  { Hdf5File(path, Hdf5File::Mode::kChange).set("gcan", "format_version", std::int64_t{99}); }
  expect_error_with([&] { TetrisFile{path}; }, {path, "version 99"});
}

TEST(TetrisFile, AnUnfinishedFileIsRemoved) {
  const Scratch scratch;
  { const TetrisWriter writer(scratch / "a.h5", describe(TetrisSet{}, {2, 0, 0}), false); }
  EXPECT_TRUE(std::filesystem::is_empty(scratch / ""));
  expect_error_with([&] { make(scratch, "no/folder.h5", {1, 0, 0}); }, {"no folder"});
}

}  // namespace tetris_file_test
}  // namespace gcan::data
