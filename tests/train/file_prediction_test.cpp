#include "gcan/train/file_prediction.h"

#include <gtest/gtest.h>

#include "gcan/data/exchange.h"
#include "gcan/data/tetris_file.h"
#include "gcan/train/tasks/fluid_rollout.h"
#include "tests/train/tiny_fluid.h"

namespace gcan::train {
namespace file_prediction_test {

using test::expect_error_with;
using test::fluid_config;
using test::Scratch;

class FieldsOfAFile : public testing::Test {
 protected:
  void SetUp() override { train(fluid_config(file_), run_); }

  FilePredictionOptions options(const std::string& out, std::int64_t steps = 0) const {
    FilePredictionOptions o{run_, file_, scratch_ / out};
    o.steps = steps;
    return o;
  }

  Scratch scratch_;
  std::string run_ = scratch_ / "run", file_ = test::tiny_fluid_file(scratch_, 4);
};

// The numbers of a file and those that a rollout gives, field by field.
void expect_frame(const data::WellReader& file, int trajectory, std::size_t frame,
                  const torch::Tensor& planes) {
  const std::vector<float> heat = file.frame(0, trajectory, frame), flow = file.frame(1, trajectory, frame);
  const torch::Tensor wanted = planes.permute({1, 2, 0}).contiguous();  // (H, W, planes)
  for (std::size_t i = 0; i < heat.size(); ++i) {
    const float* at = wanted.data_ptr<float>() + 3 * i;
    ASSERT_NEAR(heat[i], at[0], 1e-4);
    ASSERT_NEAR(flow[2 * i], at[1], 1e-4);
    ASSERT_NEAR(flow[2 * i + 1], at[2], 1e-4);
  }
}

TEST_F(FieldsOfAFile, RolloutsAreThoseOfTheRunInItsUnits) {
  const FilePrediction made = predict_file(options("out.h5", 5));
  EXPECT_EQ(made.trajectories, 10);  // one of the eleven is unstable
  EXPECT_EQ(made.frames, 5);
  const data::WellReader out(scratch_ / "out.h5");
  const data::Description& d = out.description();
  EXPECT_EQ(d.splits, (std::array<int, 3>{5, 2, 3}));
  EXPECT_EQ(d.fields[1].components, (std::vector<std::string>{"fx", "fy"}));
  EXPECT_EQ(d.fields[0].unit, "K");
  EXPECT_EQ(d.frame_times, (std::vector<double>{6, 7.5, 9, 10.5, 12}));
  const FluidRollout rollout = roll_out(run_, Checkpoint::best, Split::test, 1, 0, 5);
  for (std::size_t i = 0; i < 5; ++i)
    expect_frame(out, 8, i, rollout.prediction[static_cast<std::int64_t>(i)]);
  EXPECT_EQ(out.start(4), std::vector<double>{5});  // after the omitted one
  // Where it is from.
  std::string said;
  for (const data::Parameter& p : d.options) said += p.name + "=" + data::to_string(p.value) + "\n";
  for (const std::string& part : {"run=" + run_, "predicted-from=" + file_, std::string("network=GCA-ResNet"),
                                  std::string("checkpoint=best"), std::string("mode=rollout")})
    EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
  EXPECT_TRUE(predict_file(options("out.h5", 5)).was_there);
  expect_error_with([&] { predict_file(options("out.h5", 6)); },
                    {"out.h5", "different run", "rollout-steps 5 (now 6)"});
}

TEST_F(FieldsOfAFile, OneStepPredictsEveryFrameFromTrueFrames) {
  EXPECT_EQ(predict_file(options("out.h5")).frames, 7);
  const data::WellReader out(scratch_ / "out.h5");
  for (std::int64_t start = 0; start < 6; ++start) {
    const FluidRollout one = roll_out(run_, Checkpoint::best, Split::valid, 1, start, 1);
    expect_frame(out, 6, static_cast<std::size_t>(start), one.prediction[0]);
  }
  EXPECT_EQ(out.description().frame_times.back(), 15);  // the first that the file has not
}

TEST_F(FieldsOfAFile, ForecastsExtendBeyondTheEndAndNeedNoSplits) {
  FilePredictionOptions o = options("out.h5", 3);
  o.file = test::foreign_fluid_file(scratch_);
  o.start = 6;
  o.trajectories = {9, 0, 9};
  EXPECT_EQ(predict_file(o).trajectories, 2);
  const data::WellReader out(scratch_ / "out.h5");
  EXPECT_EQ(out.description().frame_times, (std::vector<double>{15, 16.5, 18}));
  EXPECT_EQ(out.start(1), std::vector<double>{9});
  // The same numbers as our own file has in the same place.
  o.start = 2;
  o.out = scratch_ / "known.h5";
  predict_file(o);
  const FluidRollout known = roll_out(run_, Checkpoint::best, Split::test, 1, 2, 3);
  expect_frame(data::WellReader(o.out), 1, 2, known.prediction[2]);
}

TEST_F(FieldsOfAFile, NetcdfRoundTripsWithSplits) {
  predict_file(options("out.nc", 2));
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "out.nc.h5"));
  const data::Hdf5File file(scratch_ / "out.nc", data::Hdf5File::Mode::kRead);
  EXPECT_EQ(file.shape("heat"), (data::Shape{10, 2, 8, 8}));
  EXPECT_EQ(file.text("fx", "units"), "m/s");
  EXPECT_NE(file.text("/", "gcan_options").find("network=GCA-ResNet"), std::string::npos);
  EXPECT_EQ(file.read<std::uint8_t>("split").back(), 2);
  expect_error_with([&] { predict_file(options("out.nc", 2)); }, {"out.nc", "exists already"});
}

TEST_F(FieldsOfAFile, StoppedWorkResumes) {
  predict_file(options("whole.h5", 4));
  FilePredictionObserver stopping;
  int done = 0;
  stopping.trajectory = [&](const std::string&) {
    if (++done == 4) throw Error("stopped");
  };
  EXPECT_THROW(predict_file(options("parts.h5", 4), stopping), Error);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "parts.h5"));
  FilePredictionObserver again;
  std::int64_t before = 0;
  again.begin = [&](std::int64_t total, std::int64_t there) {
    before = there;
    EXPECT_EQ(total, 10);
  };
  predict_file(options("parts.h5", 4), again);
  EXPECT_EQ(before, 4);
  const data::WellReader whole(scratch_ / "whole.h5"), parts(scratch_ / "parts.h5");
  for (int i = 0; i < 10; ++i) {
    for (std::size_t f = 0; f < 2; ++f) {
      const auto a = whole.field(f, i), b = parts.field(f, i);
      for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 1e-4);
    }
  }
}

TEST_F(FieldsOfAFile, MistakesAreOneSentenceAndLeaveNoFiles) {
  FilePredictionOptions o = options("out.h5", 2);
  o.start = 7;
  expect_error_with([&] { predict_file(o); }, {file_, "10 frames", "needs 4 from frame 7"});
  o.start = 0;
  o.trajectories = {11};
  expect_error_with([&] { predict_file(o); }, {"no trajectory 11"});
  o.trajectories = {4};
  expect_error_with([&] { predict_file(o); }, {"no complete trajectory"});
  o.trajectories.clear();
  o.file = test::tiny_data(scratch_);
  expect_error_with([&] { predict_file(o); }, {"tetris-1.h5"});
  data::Description d = test::tiny_fluid();
  d.fields[0].name = "salt";
  o.file = scratch_ / "salt.h5";
  data::WellWriter writer(o.file, d, false);
  for (const int i : writer.missing()) writer.write(i, test::tiny_waves(d, i));
  writer.finish();
  expect_error_with([&] { predict_file(o); }, {"salt.h5", "'heat'", "salt, flow"});
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "out.h5"));
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "out.h5.partial"));
}

TEST(TetrisOfAFile, ArePositionsAndStepsInTheSameLayout) {
  const Scratch scratch;
  const std::string file = test::tiny_data(scratch), run = scratch / "run";
  train(test::tiny_config(file), run);
  FilePredictionOptions o{run, file, scratch / "out.h5"};
  const FilePrediction made = predict_file(o);
  EXPECT_EQ(made.trajectories, 36);
  EXPECT_EQ(made.frames, 4);
  const data::TetrisFile out(o.out);
  const std::int64_t third = 3;
  const Prediction one = predict(run, Checkpoint::best, Split::test, std::span(&third, 1));
  const torch::Tensor wanted = one.prediction.contiguous();
  const data::TetrisSplit split = out.read(Split::test);
  for (std::int64_t i = 0; i < wanted.numel(); ++i)
    ASSERT_NEAR(split.positions[static_cast<std::size_t>(3 * wanted.numel() + i)],
                wanted.data_ptr<float>()[i], 1e-5);
  EXPECT_NEAR(split.velocities[0], split.positions[96] - split.positions[0], 1e-5);
  EXPECT_TRUE(predict_file(o).was_there);
  o.steps = 9;  // fed back
  expect_error_with([&] { predict_file(o); }, {"different run"});
  o.out = scratch / "long.h5";
  o.split = Split::valid;
  EXPECT_EQ(predict_file(o).trajectories, 8);
  EXPECT_EQ(data::TetrisFile(o.out).options().steps, 9);
}

}  // namespace file_prediction_test
}  // namespace gcan::train
