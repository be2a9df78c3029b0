// Everyday use of trained runs: fine-tune, train longer, predict, compare, import.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gcan/data/well_file.h"
#include "tests/cli/tiny_training.h"

namespace gcan::test {
namespace everyday_test {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Everyday, FineTunesARunAndTrainsItLonger) {
  const Scratch scratch;
  const std::string run = tiny_training(scratch);
  // Without --from only the configuration of a run is used, with a note.
  const Outcome plain =
      run_gcan({"train", run, "--out", scratch / "plain", "--set", "train.learning_rate=1e-4"});
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_TRUE(contains(plain.err, "starting from random weights, seed 1: '" + run +
                                      "' provides only its configuration; --from " + run))
      << plain.err;
  const Outcome tuned =
      run_gcan({"train", "--from", run, "--set", "train.learning_rate=1e-4", "--out", scratch / "tuned"});
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_TRUE(contains(tuned.err, "starting from the best checkpoint (step ")) << tuned.err;
  EXPECT_FALSE(contains(tuned.err, "random")) << tuned.err;
  // Longer: 20 steps are done.
  const Outcome other = run_gcan({"train", run, "--set", "train.steps=30"});
  EXPECT_EQ(other.code, 1);
  EXPECT_TRUE(contains(other.err, "--steps 30 trains it longer")) << other.err;
  const Outcome longer = run_gcan({"train", run, "--steps", "30"});
  EXPECT_EQ(longer.code, 0) << longer.err;
  EXPECT_TRUE(contains(longer.err, "from step 20 to 30: the learning rate stays at 0.001")) << longer.err;
  EXPECT_TRUE(contains(longer.out, "30 steps")) << longer.out;
  expect_error(run_gcan({"train", run, "--steps", "25"}), 1, "has done 30 steps");
  expect_error(run_gcan({"train", "--from", run}), 2, "missing option --out");
  expect_error(run_gcan({"train", "--from", scratch / "none", "--out", scratch / "new"}), 1,
               "none' is not a run folder");
}

TEST(Everyday, EvaluatesAsJson) {
  const Scratch scratch;
  const std::string run = tiny_training(scratch);
  const Outcome outcome = run_gcan({"evaluate", run, "--split", "valid", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["split"], "valid");
  EXPECT_EQ(json["examples"], 8);
  EXPECT_GT(json["checkpoints"]["best"]["error"], 0);
  EXPECT_TRUE(json["trivial"].contains("constant velocity"));
}

TEST(Everyday, OtherDataIsRejectedAndRunsOnItAreSeparate) {
  const Scratch scratch;
  const std::string smoke = tiny_fluid_training(scratch), water = scratch / "sw.h5";
  ASSERT_EQ(run_gcan({"simulate", "shallow-water", "--preset", "small", "--truncation", "21", "--frames", "8",
                      "--train", "3", "--valid", "1", "--out", water})
                .code,
            0);
  expect_error(run_gcan({"evaluate", smoke, "--data", water, "--split", "valid"}), 1,
               "there is no field 'smoke'");
  // Without a test split: trained, told, reported.
  const Outcome trained =
      run_gcan({"train", scratch / "fluid.toml", "--set", "data.file=" + water, "--out", scratch / "water"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(contains(trained.out, "no test split")) << trained.out;
  // More frames at the same interval: the early second frame of shallow water does not count.
  const std::string longer = scratch / "longer.h5";
  ASSERT_EQ(run_gcan({"simulate", "shallow-water", "--preset", "small", "--truncation", "21", "--frames",
                      "12", "--valid", "1", "--out", longer})
                .code,
            0);
  const Outcome other = run_gcan({"evaluate", scratch / "water", "--data", longer, "--split", "valid"});
  EXPECT_EQ(other.code, 0) << other.err;
  const Outcome report = run_gcan({"report", smoke, scratch / "water", "--out", scratch / "page"});
  ASSERT_EQ(report.code, 0) << report.err;
  EXPECT_TRUE(contains(report.err, "drawing ")) << report.err;
  const std::string html = contents(scratch / "page/index.html");
  EXPECT_TRUE(contains(html, "2 different data sets"));
  EXPECT_TRUE(contains(html, "smoke.h5: smoke, velocity on 16 x 16: Errors"));
  EXPECT_TRUE(contains(html, "Made on 20"));
}

TEST(Everyday, PredictsFilesAndFindsMovedOnes) {
  const Scratch scratch;
  const std::string run = tiny_fluid_training(scratch), data = scratch / "smoke.h5",
                    out = scratch / "predicted.h5";
  const Outcome outcome =
      run_gcan({"predict", run, data, "--steps", "5", "--trajectories", "0,4-5", "--out", out});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "wrote " + out + ": 3 trajectories of 5 frames each, by GCA-ResNet"))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "3 of 3 trajectories")) << outcome.err;
  EXPECT_EQ(data::WellReader(out).description().splits, (std::array<int, 3>{1, 0, 2}));
  EXPECT_TRUE(
      contains(run_gcan({"predict", run, data, "--steps", "5", "--trajectories", "0,4-5", "--out", out}).out,
               "complete already"));
  EXPECT_EQ(run_gcan({"predict", run, data, "--out", scratch / "one.nc"}).code, 0);
  EXPECT_TRUE(fs::exists(scratch / "one.nc"));
  expect_error(run_gcan({"predict", run}), 2, "missing argument FILE");
  expect_error(run_gcan({"predict", run, data}), 2, "missing option --out");
  expect_error(run_gcan({"predict", run, data, "--out", data}), 2, "both read and written");
  expect_error(run_gcan({"predict", run, data, "--start", "2", "--out", out}), 2, "--steps");
  expect_error(run_gcan({"predict", run, data, "--trajectories", "5-2", "--out", out}), 2, "'5-2'");
  // Moved data: a hint, and --data for all commands that draw.
  fs::create_directories(scratch / "elsewhere");
  fs::rename(data, scratch / "elsewhere/smoke.h5");
  const std::string moved = scratch / "elsewhere/smoke.h5";
  expect_error(run_gcan({"rollout", run, "--out", scratch / "a.png"}), 1, "use --data FILE");
  EXPECT_EQ(run_gcan({"rollout", run, "--data", moved, "--out", scratch / "a.png"}).code, 0);
  expect_error(run_gcan({"evaluate", run}), 1, "use --data FILE");
  EXPECT_EQ(run_gcan({"evaluate", run, "--data", moved}).code, 0);
}

// A configuration of a long run, shortened by one setting.
TEST(Everyday, AShortRunNeedsNoWarmUpSetting) {
  const Scratch scratch;
  const std::string data = scratch / "tetris.h5";
  ASSERT_EQ(
      run_gcan({"simulate", "tetris", "--train", "64", "--valid", "8", "--test", "8", "--out", data}).code,
      0);
  const Outcome outcome =
      run_gcan({"train", "tetris/gca-mlp", "--set", "data.file=" + data, "--set", "data.train=64", "--set",
                "train.steps=3", "--set", "model.channels=4", "--out", scratch / "run"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST(Everyday, TooLargeANetworkIsAnError) {
  const Scratch scratch;
  const std::string run = tiny_fluid_training(scratch);
  std::string command = "ulimit -v 6000000; exec " GCAN_PROGRAM;
  for (const std::string& word :
       Words{"train", scratch / "fluid.toml", "--set", "model.channels=4096", "--out", scratch / "huge"})
    command += " '" + word + "'";
  const Outcome outcome = run_program({"/bin/sh", "-c", command});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "too large to be trained here")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "reduce model.channels (4096)")) << outcome.err;
  EXPECT_FALSE(fs::exists(scratch / "huge"));
}

// Weather in a foreign layout, by NetCDF-4 and named variables to a trained run.
TEST(Everyday, ImportsByNamesAndKeepsSplits) {
  const Scratch scratch;
  const std::string water = scratch / "sw.h5", netcdf = scratch / "sw.nc", again = scratch / "again.h5";
  ASSERT_EQ(run_gcan({"simulate", "shallow-water", "--preset", "small", "--truncation", "21", "--frames", "8",
                      "--train", "3", "--valid", "1", "--test", "1", "--out", water})
                .code,
            0);
  ASSERT_EQ(run_gcan({"export", water, "--format", "netcdf", "--out", netcdf}).code, 0);
  ASSERT_EQ(run_gcan({"import", netcdf, "--out", again}).code, 0);
  EXPECT_EQ(data::WellReader(again).description().splits, (std::array<int, 3>{3, 1, 1}));
  const Words names{"import", netcdf, "--scalar", "height=eta", "--vector", "u,v",
                    "--time", "time", "--x",      "lon",        "--y",      "lat"};
  // The second frame of shallow water is early.
  Words uneven = names;
  for (const std::string& word : Words{"--out", scratch / "uneven.h5"}) uneven.push_back(word);
  expect_error(run_gcan(uneven), 1,
               "the first two frames are 13160 apart in 'time', but the others 19740; omit the first one "
               "with --skip 1");
  Words named = names;
  for (const char* word : {"--skip", "1", "--cut", "3", "--valid", "2", "--test", "2", "--out"})
    named.emplace_back(word);
  named.push_back(scratch / "cut.h5");
  const Outcome outcome = run_gcan(named);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(
      contains(outcome.out, "10 trajectories (train 6, valid 2, test 2) of 3 frames on 32 x 64 points"))
      << outcome.out;
  const data::WellReader reader(scratch / "cut.h5"), original(water);
  EXPECT_EQ(reader.frame(0, 1, 0), original.frame(0, 0, 4));
  EXPECT_EQ(reader.description().frame_times, (std::vector<double>{0, 19740, 39480}));
  Words bad = names;
  bad[3] = "height=pressure";
  for (const std::string& word : Words{"--out", scratch / "bad.h5"}) bad.push_back(word);
  expect_error(run_gcan(bad), 1, "there is no variable 'pressure'");
  expect_error(run_gcan({"import", netcdf, "--scalar", "eta", "--out", scratch / "bad.h5"}), 2,
               "--time, --x and --y");
}

}  // namespace everyday_test
}  // namespace gcan::test
