#include "gcan/sim/tetris/motion_error.h"

#include <gtest/gtest.h>

#include "gcan/base/error.h"

namespace gcan::sim::tetris {
namespace tetris_motion_error_test {

TEST(TetrisMotionError, SumsStepsAndCoordinatesAndAveragesPointsAndTrajectories) {
  const MotionShape shape{3, 4, 5};
  std::vector<float> truth(shape.size()), prediction(shape.size());
  double squares = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    truth[i] = static_cast<float>(i % 7);
    prediction[i] = static_cast<float>(i % 11);
    const double d = static_cast<double>(i % 7) - static_cast<double>(i % 11);
    squares += d * d;
  }
  const double mean_square = squares / static_cast<double>(shape.size());
  EXPECT_NEAR(motion_error(prediction, truth, shape).total(), 12 * mean_square, 1e-9);
}

TEST(TetrisMotionError, SplitsByStep) {
  const MotionShape shape{2, 3, 2};
  const std::vector<float> truth(shape.size());
  std::vector<float> prediction(shape.size());
  // Step 1 of both trajectories is off by 2 in one coordinate of one of the two points.
  for (const std::size_t k : {0, 1}) prediction[(k * 3 + 1) * 6 + 4] = 2;
  const MotionError error = motion_error(prediction, truth, shape);
  EXPECT_EQ(error.by_step, (std::vector<double>{0, 2, 0}));
  MotionError twice = error;
  EXPECT_EQ((twice += error).total(), 4);
}

TEST(TetrisMotionError, RejectsSizeMismatches) {
  const std::vector<float> six(6), twelve(12);
  EXPECT_THROW(motion_error(six, twelve, {1, 1, 2}), Error);
  EXPECT_THROW(motion_error(six, six, {2, 1, 2}), Error);
  EXPECT_THROW(motion_error({}, {}, {0, 4, 32}), Error);
  MotionError one{{1}};
  EXPECT_THROW(one += MotionError{}, Error);
}

}  // namespace tetris_motion_error_test
}  // namespace gcan::sim::tetris
