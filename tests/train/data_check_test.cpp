#include "gcan/train/data_check.h"

#include <gtest/gtest.h>

#include "gcan/files/durable.h"
#include "tests/train/tiny_fluid.h"
#include "tests/train/tiny_run.h"

namespace gcan::train {
namespace data_check_test {

using test::expect_error_with;
using test::fluid_config;
using test::Scratch;

std::string written(const Scratch& scratch, const std::string& name, const data::Description& d) {
  data::WellWriter writer(scratch / name, d, false);
  for (const int i : writer.missing()) {
    data::Trajectory t = data::empty_trajectory(d);
    for (auto& field : t.fields) {
      for (std::size_t k = 0; k < field.size(); ++k)
        field[k] = std::sin(0.1F * static_cast<float>(k + static_cast<std::size_t>(i)));
    }
    writer.write(i, t);
  }
  writer.finish();
  return scratch / name;
}

TEST(DataCheck, OtherFieldsAxesUnitsAndTimesAreRefused) {
  const Scratch scratch;
  const std::string run = scratch / "run";
  train(fluid_config(test::tiny_fluid_file(scratch)), run);
  const auto refused = [&](const std::string& name, const auto& change,
                           std::initializer_list<std::string> parts) {
    data::Description d = test::tiny_fluid();
    change(d);
    const std::string file = written(scratch, name, d);
    expect_error_with([&] { evaluate(run, Checkpoint::best, Split::test, file); }, parts);
  };
  refused("fields.h5", [](auto& d) { d.fields[0].name = "smoke"; }, {"fields.h5", "'heat'", "smoke, flow"});
  refused("axes.h5", [](auto& d) { d.space[0].name = "lat"; }, {"axes.h5", "does not match", "lat,y", "x,y"});
  refused("units.h5", [](auto& d) { d.fields[1].unit = "km/h"; }, {"units.h5", "K,km/h", "K,m/s"});
  refused("times.h5",
          [](auto& d) {
            for (double& t : d.frame_times) t *= 2;
          },
          {"3 s", "1.5 s"});
}

TEST(DataCheck, MatchingDataIsEvaluatedByNameWithANote) {
  const Scratch scratch;
  const std::string run = scratch / "run";
  train(fluid_config(test::tiny_fluid_file(scratch), {"data.test=3"}), run);
  EXPECT_TRUE(evaluate(run, Checkpoint::best, Split::test).notes.empty());
  // Other trajectories, fewer of them, and a field more in another order.
  data::Description d = test::tiny_fluid();
  d.fields = {{"flow", "m/s", {"fx", "fy"}, ""}, {"salt", "1", {}, ""}, {"heat", "1", {}, ""}};
  d.splits = {0, 0, 2};
  const Evaluation other = evaluate(run, Checkpoint::best, Split::test, written(scratch, "other.h5", d));
  EXPECT_EQ(other.examples, 2);
  EXPECT_TRUE(other.notes.empty());
  d = test::tiny_fluid();
  std::vector<double> at;
  for (int i = 0; i < 16; ++i) at.push_back(i);
  d.space[0].values = d.space[1].values = at;
  d.area.assign(16, 1.0 / 256);
  const Evaluation fine = evaluate(run, Checkpoint::best, Split::test, written(scratch, "fine.h5", d));
  ASSERT_EQ(fine.notes.size(), 1U);
  EXPECT_NE(fine.notes[0].find("16 x 16 points, but the run was trained on 8 x 8"), std::string::npos)
      << fine.notes[0];
}

// A run that recorded no stored checksums, as by version 0.1, is compared by the checksum of its examples.
TEST(DataCheck, TetrisExamplesNeedNotBeRead) {
  const Scratch scratch;
  const std::string run = scratch / "run", file = test::tiny_data(scratch);
  train(test::tiny_config(file), run);
  EXPECT_NE(recorded(run, "stored_checksums"), "");
  EXPECT_TRUE(evaluate(run, Checkpoint::best, Split::test).notes.empty());
  EXPECT_TRUE(same_data(run, *task_of(run)));
  const std::string other = test::tiny_data(scratch, 2);
  EXPECT_FALSE(same_data(run, *task_of(run, other)));
  std::string record = files::read_whole(run + "/run.json");
  record.replace(record.find("stored_checksums"), 16, "forgotten");
  files::replace_durably(run + "/run.json", record);
  EXPECT_TRUE(evaluate(run, Checkpoint::best, Split::test).notes.empty());
  EXPECT_TRUE(same_data(run, *task_of(run)));
  EXPECT_FALSE(same_data(run, *task_of(run, other)));
  std::filesystem::rename(other, file);
  const auto notes = evaluate(run, Checkpoint::best, Split::test).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("has changed since the run was trained"), std::string::npos) << notes[0];
}

TEST(DataCheck, AMovedFileGivesAHint) {
  const Scratch scratch;
  const std::string run = scratch / "runs/a", file = test::tiny_fluid_file(scratch);
  std::filesystem::create_directories(scratch / "runs");
  train(fluid_config(file), run);
  std::filesystem::rename(file, scratch / "runs/fluid-1.h5");
  expect_error_with([&] { evaluate(run, Checkpoint::best, Split::test); },
                    {file, "does not exist", "--data FILE", scratch / "runs/fluid-1.h5"});
  EXPECT_EQ(evaluate(run, Checkpoint::best, Split::test, scratch / "runs/fluid-1.h5").examples, 3);
}

TEST(DataCheck, AnEvaluationOnlyNeedsItsOwnSplit) {
  const Scratch scratch;
  data::Description d = test::tiny_fluid();
  d.splits = {4, 2, 0};
  const std::string file = written(scratch, "untested.h5", d), run = scratch / "run";
  const Result result = *train(fluid_config(file), run).result;
  EXPECT_FALSE(result.tested);
  EXPECT_TRUE(std::isnan(result.test_best.metrics.error));
  EXPECT_GT(result.judged_best().metrics.error, 0);
  EXPECT_NE(result.valid_best.metrics.find_curve("rollout"), nullptr);
  EXPECT_FALSE(read_result(run)->tested);
  EXPECT_EQ(evaluate(run, Checkpoint::best, Split::valid).examples, 2);
  EXPECT_EQ(evaluate(run, Checkpoint::best, Split::train).examples, 4);
  expect_error_with([&] { evaluate(run, Checkpoint::best, Split::test); }, {file, "'test'", "data.test=N"});
  d.splits = {0, 0, 3};
  EXPECT_EQ(evaluate(run, Checkpoint::best, Split::test, written(scratch, "test.h5", d)).examples, 3);
  expect_error_with([&] { train(fluid_config(scratch / "test.h5"), scratch / "none"); }, {"'train'"});
}

TEST(DataCheck, RunsOnOneDataSetCompare) {
  const Scratch scratch;
  const std::string file = test::tiny_fluid_file(scratch), tetris = test::tiny_data(scratch);
  const auto key = [&](const Config& config, const std::string& name) {
    train(config, scratch / name);
    return comparison_key(scratch / name);
  };
  const std::string first = key(fluid_config(file), "a");
  EXPECT_EQ(key(fluid_config(file, {"data.train=4", "train.seed=3", "data.history=2"}), "b"), first);
  EXPECT_NE(key(fluid_config(file, {"data.test=2"}), "c"), first);
  EXPECT_NE(key(fluid_config(file, {"data.normalise=none"}), "d"), first);
  EXPECT_NE(key(fluid_config(file, {"data.future=2"}), "e"), first);
  data::Description d = test::tiny_fluid();
  EXPECT_NE(key(fluid_config(written(scratch, "other.h5", d)), "f"), first);
  EXPECT_NE(key(test::tiny_config(tetris), "g"), key(test::tiny_config(test::tiny_data(scratch, 2)), "h"));
  EXPECT_EQ(data_title(scratch / "a"), "fluid-1.h5: heat, flow on 8 x 8");
}

}  // namespace data_check_test
}  // namespace gcan::train
