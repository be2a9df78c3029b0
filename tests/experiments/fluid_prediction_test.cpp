#include "gcan/experiments/fluid_prediction.h"

#include <gtest/gtest.h>

#include "gcan/train/tasks/fluid_rollout.h"
#include "tests/train/tiny_fluid.h"

namespace gcan::experiments {
namespace fluid_prediction_test {

using test::expect_error_with;
using test::Scratch;

std::string trained(const Scratch& scratch, const std::string& data, const std::string& name,
                    std::vector<std::string> more = {}) {
  more.emplace_back("train.steps=1");
  train::train(test::fluid_config(data, more), scratch / name);
  return scratch / name;
}

TEST(FluidPrediction, IsTheRolloutFieldByField) {
  const Scratch scratch;
  const std::string run = trained(scratch, test::tiny_fluid_file(scratch), "run");
  const FluidPredictionOptions options{.checkpoint = train::Checkpoint::last, .index = 1, .start = 2};
  const report::FieldRollout fields = predicted_fields({run}, options);
  const train::FluidRollout rollout =
      train::roll_out(run, train::Checkpoint::last, train::Split::test, 1, 2, 0);
  EXPECT_EQ(fields.times, rollout.times);
  EXPECT_EQ(fields.input_times, (std::vector<double>{3, 4.5, 6, 7.5}));
  EXPECT_EQ(fields.networks, std::vector<std::string>{"GCA-ResNet"});
  ASSERT_EQ(fields.fields.size(), 2U);
  EXPECT_EQ(fields.fields[0].name, "heat");
  EXPECT_EQ(fields.fields[0].numbers, 1U);
  EXPECT_EQ(fields.fields[1].name, "flow");
  EXPECT_EQ(fields.fields[1].unit, "m/s");
  ASSERT_EQ(fields.fields[1].numbers, 2U);
  ASSERT_EQ(fields.fields[1].predictions[0].size(), 4U);
  for (std::int64_t step = 0; step < 4; ++step) {
    const torch::Tensor flow = rollout.prediction[step].narrow(0, 1, 2).contiguous();
    const std::vector<float> expected(flow.data_ptr<float>(), flow.data_ptr<float>() + flow.numel());
    EXPECT_EQ(fields.fields[1].predictions[0][static_cast<std::size_t>(step)], expected);
  }
}

TEST(FluidPrediction, FieldsAndComponentsAreChosenByName) {
  const Scratch scratch;
  const std::string run = trained(scratch, test::tiny_fluid_file(scratch), "run");
  const report::FieldRollout fields = predicted_fields({run}, {.steps = 2, .fields = "fy,heat"});
  ASSERT_EQ(fields.fields.size(), 2U);
  EXPECT_EQ(fields.fields[0].name, "fy");
  EXPECT_EQ(fields.fields[0].numbers, 1U);
  EXPECT_EQ(fields.times.size(), 2U);
  const report::FieldRollout all = predicted_fields({run}, {.steps = 2});
  const report::FieldFrame& flow = all.fields[1].target[1];
  EXPECT_EQ(fields.fields[0].target[1],
            (report::FieldFrame{flow.begin() + static_cast<std::ptrdiff_t>(flow.size() / 2), flow.end()}));
  EXPECT_EQ(predicted_fields({run}, {.most_steps = 3}).times.size(), 3U);
  expect_error_with([&] { predicted_fields({run}, {.fields = "heet"}); }, {"'heet'", "did you mean 'heat'?"});
}

TEST(FluidPrediction, RunsOfOtherHistoriesStartTogether) {
  const Scratch scratch;
  const std::string data = test::tiny_fluid_file(scratch);
  const std::string two = trained(scratch, data, "two", {"data.history=2"});
  const std::string four = trained(scratch, data, "four", {"model.name=resnet"});
  const report::FieldRollout fields = predicted_fields({two, four});
  EXPECT_EQ(fields.networks, (std::vector<std::string>{"GCA-ResNet", "ResNet"}));
  EXPECT_EQ(fields.times.front(), 6);
  EXPECT_EQ(fields.input_times, (std::vector<double>{3, 4.5}));
  EXPECT_EQ(fields.fields[0].predictions.size(), 2U);
}

TEST(FluidPrediction, ReportsMismatches) {
  const Scratch scratch;
  const std::string data = test::tiny_fluid_file(scratch), foreign = test::foreign_fluid_file(scratch);
  const std::string run = trained(scratch, data, "run");
  const std::string held =
      trained(scratch, foreign, "held", {"data.valid=3", "data.test=2"});  // other test trajectories
  expect_error_with([&] { predicted_fields({run}, {.start = 6}); }, {"frame 6", "10 frames"});
  expect_error_with([&] { predicted_fields({run}, {.index = 3}); }, {"no trajectory 3"});
  expect_error_with([] { predicted_fields({}); }, {"at least one"});
  const std::string less = trained(scratch, foreign, "less", {"data.valid=2", "data.test=3"});
  expect_error_with([&] { predicted_fields({held, less}); }, {less, "another truth for 'heat'"});
  const std::string heat = trained(scratch, data, "heat", {"data.names=heat", "data.fields=s"});
  expect_error_with([&] { predicted_fields({run, heat}); }, {heat, "no field 'flow'"});
  train::train(test::tiny_config(test::tiny_data(scratch), {"train.steps=1"}), scratch / "tetris");
  expect_error_with([&] { predicted_fields({scratch / "tetris"}); }, {"'tetris'", "'fluid'"});
}

}  // namespace fluid_prediction_test
}  // namespace gcan::experiments
