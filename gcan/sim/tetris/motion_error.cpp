#include "gcan/sim/tetris/motion_error.h"

#include <numeric>
#include <string>

#include "gcan/base/error.h"

namespace gcan::sim::tetris {

double MotionError::total() const { return std::accumulate(by_step.begin(), by_step.end(), 0.0); }

MotionError& MotionError::operator+=(const MotionError& other) {
  if (by_step.size() != other.by_step.size())
    throw Error("tetris: errors of " + std::to_string(by_step.size()) + " and of " +
                std::to_string(other.by_step.size()) + " steps cannot be added");
  for (std::size_t i = 0; i < by_step.size(); ++i) by_step[i] += other.by_step[i];
  return *this;
}

MotionError motion_error(std::span<const float> prediction, std::span<const float> truth,
                         const MotionShape& shape) {
  if (shape.trajectories == 0 || shape.points == 0)
    throw Error("tetris: the error needs at least one trajectory and one point");
  for (const std::size_t size : {prediction.size(), truth.size()})
    if (size != shape.size())
      throw Error("tetris: the error was requested for " + std::to_string(size) +
                  " numbers, but the shape has " + std::to_string(shape.size()));
  MotionError error{std::vector<double>(shape.steps)};
  const std::size_t row = shape.points * 3;
  for (std::size_t k = 0; k < shape.trajectories; ++k)
    for (std::size_t step = 0; step < shape.steps; ++step) {
      const std::size_t at = (k * shape.steps + step) * row;
      double sum = 0;
      for (std::size_t i = at; i < at + row; ++i) {
        const double d = static_cast<double>(prediction[i]) - static_cast<double>(truth[i]);
        sum += d * d;
      }
      error.by_step[step] += sum;
    }
  for (double& sum : error.by_step) sum /= static_cast<double>(shape.trajectories * shape.points);
  return error;
}

}  // namespace gcan::sim::tetris
