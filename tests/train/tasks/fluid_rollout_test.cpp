#include "gcan/train/tasks/fluid_rollout.h"

#include <gtest/gtest.h>

#include "tests/train/tiny_fluid.h"

namespace gcan::train {
namespace fluid_rollout_test {

using test::expect_error_with;
using test::Scratch;

TEST(FluidRollout, IsInTheFilesUnits) {
  const Scratch scratch;
  const std::string run = scratch / "run", path = test::tiny_fluid_file(scratch);
  const Result result = *train(test::fluid_config(path), run).result;
  const FluidRollout rollout = roll_out(run, Checkpoint::last, Split::test, 1, 2, 0);
  EXPECT_EQ(rollout.model, "GCA-ResNet");
  ASSERT_EQ(rollout.planes.size(), 3U);
  EXPECT_EQ(rollout.planes[0].name, "heat");
  EXPECT_EQ(rollout.planes[2].name, "flow fy");
  EXPECT_EQ(rollout.planes[2].unit, "m/s");
  EXPECT_EQ(rollout.times, (std::vector<double>{9, 10.5, 12, 13.5}));
  ASSERT_EQ(rollout.input.sizes().vec(), (std::vector<std::int64_t>{4, 3, 8, 8}));
  ASSERT_EQ(rollout.prediction.sizes().vec(), (std::vector<std::int64_t>{4, 3, 8, 8}));
  ASSERT_EQ(rollout.target.sizes(), rollout.prediction.sizes());
  const auto truth = test::tiny_waves(rollout.description, 9).fields[0];
  const auto heat = [&](std::size_t frame) { return truth[(frame * 8 + 3) * 8 + 5]; };
  EXPECT_NEAR(rollout.input[0][0][3][5].item<float>(), heat(2), 1e-4);
  EXPECT_NEAR(rollout.target[3][0][3][5].item<float>(), heat(9), 1e-4);
  EXPECT_EQ(roll_out(run, Checkpoint::last, Split::test, 0, 0, 3).times.size(), 3U);
}

TEST(FluidRollout, ReportsMissingTrajectoriesAndFrames) {
  const Scratch scratch;
  const std::string run = scratch / "run", tetris = scratch / "tetris";
  train(test::fluid_config(test::tiny_fluid_file(scratch), {"train.steps=1"}), run);
  expect_error_with([&] { roll_out(run, Checkpoint::last, Split::test, 3, 0, 0); }, {"no trajectory 3"});
  expect_error_with([&] { roll_out(run, Checkpoint::last, Split::test, 0, 6, 0); }, {"10 frames", "frame 6"});
  expect_error_with([&] { roll_out(run, Checkpoint::last, Split::test, 0, 0, 7); }, {"7 steps"});
  train(test::tiny_config(test::tiny_data(scratch), {"train.steps=1"}), tetris);
  expect_error_with([&] { roll_out(tetris, Checkpoint::last, Split::test, 0, 0, 1); },
                    {tetris, "is not a fluid run"});
}

}  // namespace fluid_rollout_test
}  // namespace gcan::train
