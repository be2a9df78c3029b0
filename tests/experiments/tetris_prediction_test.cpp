#include "gcan/experiments/tetris_prediction.h"

#include <gtest/gtest.h>

#include "gcan/data/tetris_file.h"
#include "tests/train/tiny_run.h"

namespace gcan::experiments {
namespace tetris_prediction_test {

using test::Scratch;

TEST(TetrisPrediction, ShowsATrajectoryOfTheFileAndTheNetworksEndOfIt) {
  const Scratch scratch;
  const std::string data = test::tiny_data(scratch), run = scratch / "run";
  train::train(test::tiny_config(data), run);
  const auto motion = predicted_motion(run, {.split = train::Split::test, .index = 3});
  EXPECT_EQ(motion.model, "MLP");
  ASSERT_EQ(motion.steps(), 8U);
  ASSERT_EQ(motion.predicted_steps(), 4U);
  const auto split = data::TetrisFile(data).read(data::Split::test);
  const std::vector<float> truth(split.positions.begin() + 3 * 8 * 96, split.positions.begin() + 4 * 8 * 96);
  EXPECT_EQ(motion.truth, truth);
  // The error of the picture's prediction is the network's own on that trajectory.
  const std::int64_t index = 3;
  const auto p = train::predict(run, train::Checkpoint::best, train::Split::test, std::span(&index, 1));
  const auto flat = p.prediction.flatten().contiguous();
  EXPECT_EQ(motion.predicted,
            std::vector<float>(flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()));
}

TEST(TetrisPrediction, ShowsPositionsOfNetworksWithVelocities) {
  const Scratch scratch;
  const std::string data = test::tiny_data(scratch), run = scratch / "run";
  train::train(test::tiny_config(data, {"data.velocities=true", "train.steps=2"}), run);
  const auto motion = predicted_motion(run);
  EXPECT_EQ(motion.steps(), 8U);
  const auto split = data::TetrisFile(data).read(data::Split::test, 1);
  EXPECT_EQ(motion.truth, split.positions);
}

TEST(TetrisPrediction, AnIndexOutsideIsAnError) {
  const Scratch scratch;
  const std::string data = test::tiny_data(scratch), run = scratch / "run";
  train::train(test::tiny_config(data, {"train.steps=2"}), run);
  test::expect_error_with([&] { predicted_motion(run, {.index = 8}); }, {"8", "test"});
  test::expect_error_with([&] { predicted_motion(scratch / "none"); }, {"none", "run"});
}

}  // namespace tetris_prediction_test
}  // namespace gcan::experiments
