#include "gcan/train/tasks/tetris_task.h"

#include <gtest/gtest.h>

#include <numeric>

#include "gcan/sim/tetris/motion_error.h"
#include "tests/train/tiny_run.h"

namespace gcan::train {
namespace tetris_task_test {

using test::expect_error_with;
using test::Scratch;
using test::tiny_config;
using test::tiny_data;

TetrisTask task_of(const std::string& file, const std::vector<std::string>& more = {}) {
  return TetrisTask(tiny_config(file, more).data);
}

std::span<const float> numbers(const torch::Tensor& t) {
  return {t.data_ptr<float>(), static_cast<std::size_t>(t.numel())};
}

TEST(TetrisTask, BatchesAreTheFilesTrajectories) {
  const Scratch scratch;
  const std::string path = tiny_data(scratch);
  TetrisTask task = task_of(path, {"data.velocities=true", "data.train=12"});
  EXPECT_EQ(task.size(Split::train), 12);
  EXPECT_EQ(task.size(Split::test), 8);
  const auto file = data::TetrisFile(path).read(data::Split::train);
  const std::vector<std::int64_t> indices{7, 0, 7};
  const Batch batch = task.batch(Split::train, indices, {});
  ASSERT_EQ(batch.input.sizes().vec(), (std::vector<std::int64_t>{3, 2, 4, 32, 3}));
  ASSERT_EQ(batch.target.sizes(), batch.input.sizes());
  const auto at = [](const std::vector<float>& all, std::int64_t trajectory, std::int64_t step) {
    return all[static_cast<std::size_t>(((trajectory * 8 + step) * 32 + 5) * 3 + 1)];
  };
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t step = 0; step < 4; ++step) {
      EXPECT_EQ(batch.input[i][0][step][5][1].item<float>(), at(file.positions, indices[i], step));
      EXPECT_EQ(batch.target[i][0][step][5][1].item<float>(), at(file.positions, indices[i], step + 4));
      EXPECT_EQ(batch.target[i][1][step][5][1].item<float>(), at(file.velocities, indices[i], step + 4));
    }
  }
}

TEST(TetrisTask, LossAndErrorMatchThePaper) {
  const Scratch scratch;
  TetrisTask task = task_of(tiny_data(scratch), {"data.train=20"});
  std::vector<std::int64_t> all(20);
  std::iota(all.begin(), all.end(), 0);
  const Batch batch = task.batch(Split::train, all, {});
  const torch::Tensor prediction = batch.input + 0.1;
  const auto expected = sim::tetris::motion_error(numbers(prediction), numbers(batch.target), {20, 4, 32});
  EXPECT_NEAR(task.loss(prediction, batch.target).item<double>() / expected.total(), 1, 1e-5);
  const Metrics metrics = task.evaluate(
      Split::train, [](const torch::Tensor& x) { return x + 0.1; }, Depth::full);
  EXPECT_NEAR(metrics.error / expected.total(), 1, 1e-5);
  ASSERT_EQ(metrics.by_step.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(metrics.by_step[i] / expected.by_step[i], 1, 1e-5);
}

// Unlike the element-wise mean, the error counts velocities in addition.
TEST(TetrisTask, VelocitiesAddToTheError) {
  const Scratch scratch;
  TetrisTask task = task_of(tiny_data(scratch), {"data.velocities=true"});
  const std::vector<std::int64_t> one{3};
  const Batch batch = task.batch(Split::valid, one, {});
  torch::Tensor prediction = batch.target.clone();
  prediction.select(1, 1) += 0.5;
  EXPECT_NEAR(task.loss(prediction, batch.target).item<double>(), 4 * 3 * 0.25, 1e-4);
}

TEST(TetrisTask, TrivialPredictorsExtrapolate) {
  const Scratch scratch;
  const std::string path = tiny_data(scratch);
  for (const bool velocities : {false, true}) {
    TetrisTask task = task_of(path, {velocities ? "data.velocities=true" : "data.velocities=false"});
    const auto trivial = task.trivial(Split::test);
    ASSERT_EQ(trivial.size(), 2U);
    EXPECT_EQ(trivial[0].first, "constant velocity");
    EXPECT_GT(trivial[0].second.error, trivial[1].second.error);
    EXPECT_GT(trivial[1].second.error, 0);
    EXPECT_LT(trivial[1].second.error, 0.1);
  }
}

TEST(TetrisTask, MistakesAreErrors) {
  const Scratch scratch;
  const std::string path = tiny_data(scratch);
  const TetrisTask more = task_of(path, {"data.train=21"});
  expect_error_with([&] { more.require(Split::train); }, {"data.train", "21", path, "20"});
  more.require(Split::valid);  // which is all that some need
  expect_error_with([&] { task_of(path, {"data.steps_in=5"}); }, {"9", "8 steps"});
  expect_error_with([&] { task_of(scratch / "none.h5"); }, {"none.h5"});
  expect_error_with([&] { task_of(""); }, {"data.file", "gcan simulate tetris"});
  test::cut_to(path, 0.7);
  expect_error_with([&] { task_of(path); }, {path});
}

// Damage in the training split does not affect reading only the test split; likewise for velocities.
TEST(TetrisTask, ReadsOnlyWhatIsUsed) {
  const Scratch scratch;
  const std::string path = tiny_data(scratch);
  const DataRecord before = task_of(path).outline();
  {
    data::Hdf5File file(path, data::Hdf5File::Mode::kChange);
    const float wrong = 1e6;
    file.write_part<float>("train/positions", {3, 2, 7, 1}, {1, 1, 1, 1}, std::span(&wrong, 1));
    file.write_part<float>("valid/velocities", {3, 2, 7, 1}, {1, 1, 1, 1}, std::span(&wrong, 1));
  }
  const std::vector<std::int64_t> one{3};
  TetrisTask task = task_of(path);
  EXPECT_EQ(task.batch(Split::test, one, {}).input.size(0), 1);
  EXPECT_EQ(task.batch(Split::valid, one, {}).input.size(1), 1);
  EXPECT_EQ(task.outline(), before);
  expect_error_with([&] { task.batch(Split::train, one, {}); },
                    {"train/positions", "trajectory 3 is damaged"});
  TetrisTask with_velocities = task_of(path, {"data.velocities=true"});
  expect_error_with([&] { with_velocities.batch(Split::valid, one, {}); },
                    {"valid/velocities", "trajectory 3"});
}

TEST(TetrisTask, RecordsWhatItUses) {
  const Scratch scratch;
  const auto checksum = [](const TetrisTask& task) { return std::get<std::string>(task.record()[1].second); };
  const std::string path = tiny_data(scratch);
  EXPECT_EQ(checksum(task_of(path)), checksum(task_of(path)));
  EXPECT_NE(checksum(task_of(path)), checksum(task_of(tiny_data(scratch, 2))));
  EXPECT_NE(checksum(task_of(path)), checksum(task_of(path, {"data.train=19"})));
  const auto stored = [](const TetrisTask& task) { return task.outline()[1]; };
  EXPECT_EQ(stored(task_of(path)).first, "stored_checksums");
  EXPECT_EQ(stored(task_of(path)), stored(task_of(path)));
  EXPECT_NE(stored(task_of(path)), stored(task_of(path, {"data.train=19"})));
  EXPECT_NE(stored(task_of(path)), stored(task_of(path, {"data.velocities=true"})));
  EXPECT_NE(stored(task_of(path)), stored(task_of(path, {"data.steps_out=3"})));
}

}  // namespace tetris_task_test
}  // namespace gcan::train
