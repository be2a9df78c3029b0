#include "gcan/sim/tetris/predictors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gcan/base/error.h"
#include "gcan/sim/tetris/simulate.h"
#include "tests/sim/tetris/motions.h"

namespace gcan::sim::tetris {
namespace tetris_predictors_test {

// Coordinates that are polynomials of time of the given degree, other ones for each point.
std::vector<float> polynomials(const MotionShape& shape, int degree, std::size_t first_step = 0) {
  std::vector<float> result;
  for (std::size_t k = 0; k < shape.trajectories; ++k)
    for (std::size_t t = first_step; t < first_step + shape.steps; ++t)
      for (std::size_t i = 0; i < shape.points * 3; ++i) {
        double value = 0;
        for (int power = 0; power <= degree; ++power)
          value += std::sin(static_cast<double>(k * 100 + i) + power) * std::pow(0.3 * double(t), power);
        result.push_back(static_cast<float>(value));
      }
  return result;
}

void expect_near(const std::vector<float>& a, const std::vector<float>& b, float tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << i;
}

TEST(TetrisPredictors, AreExactOnPolynomialsOfTheirDegree) {
  const MotionShape shape{2, 4, 3};
  for (int degree = 0; degree <= 3; ++degree)
    expect_near(extrapolate(polynomials(shape, degree), shape, 4, degree), polynomials(shape, degree, 4),
                1e-4F);
}

TEST(TetrisPredictors, UseGivenVelocities) {
  const MotionShape shape{2, 4, 3};
  const auto velocities = [&](std::size_t first) {
    const auto x = polynomials(shape, 2, first), next = polynomials(shape, 2, first + 1);
    std::vector<float> v;
    for (std::size_t i = 0; i < x.size(); ++i) v.push_back(next[i] - x[i]);
    return v;
  };
  const auto result = extrapolate(polynomials(shape, 2), velocities(0), shape, 4, 2);
  expect_near(result.positions, polynomials(shape, 2, 4), 1e-4F);
  expect_near(result.velocities, velocities(4), 1e-4F);
}

// The figures of the paper's text taken literally, which do not depend on offsets and first orientations.
TEST(TetrisPredictors, HaveTheKnownErrorsOnTetris) {
  Options with_orientations = Options::literal();
  with_orientations.orientation = Orientation::haar;
  for (const Options& options : {Options::literal(), with_orientations}) {
    const Motions motions(options, 8192);
    const MotionShape half{8192, 4, kPoints};
    const auto inputs = motions.steps(0, 4), targets = motions.steps(4, 8);
    const auto& trivial = trivial_predictors();
    EXPECT_NEAR(motion_error(extrapolate(inputs, half, 4, trivial[0].degree), targets, half).total(), 0.129,
                0.006);
    EXPECT_NEAR(motion_error(extrapolate(inputs, half, 4, trivial[1].degree), targets, half).total(), 0.0069,
                5e-4);
  }
}

TEST(TetrisPredictors, RejectSizeMismatches) {
  const std::vector<float> numbers(12);
  EXPECT_THROW(extrapolate(numbers, {1, 4, 2}, 4, 1), Error);
  EXPECT_THROW(extrapolate(numbers, {1, 4, 1}, 4, 4), Error);
  EXPECT_THROW(extrapolate(numbers, {1, 4, 1}, 4, -1), Error);
  EXPECT_THROW(extrapolate(numbers, std::vector<float>(3), {1, 4, 1}, 4, 1), Error);
}

}  // namespace tetris_predictors_test
}  // namespace gcan::sim::tetris
