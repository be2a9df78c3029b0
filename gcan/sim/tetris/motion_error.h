#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gcan::sim::tetris {

// An array (trajectory, step, point, 3) of positions or velocities.
struct MotionShape {
  std::size_t trajectories = 0;
  std::size_t steps = 0;
  std::size_t points = 0;
  std::size_t size() const { return trajectories * steps * points * 3; }
};

// The paper's error of a prediction: squared differences, summed over steps and coordinates, averaged over
// points and trajectories. With 4 steps that is 12 times the mean squared error of the numbers.
struct MotionError {
  std::vector<double> by_step;
  double total() const;

  // With velocities the paper sums six numbers per point.
  MotionError& operator+=(const MotionError& other);
};

// Error unless both arrays have that shape with at least one trajectory and point.
//
//   motion_error(predicted, truth, {1024, 4, 32}).total()
MotionError motion_error(std::span<const float> prediction, std::span<const float> truth,
                         const MotionShape& shape);

}  // namespace gcan::sim::tetris
