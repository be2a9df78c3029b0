#pragma once

#include <span>
#include <string>
#include <vector>

#include "gcan/sim/tetris/motion_error.h"

namespace gcan::sim::tetris {

// Trivial predictors as baselines: each coordinate is extrapolated by the polynomial through its last degree
// + 1 positions. Degree 1 is constant velocity, degree 3 uses all four inputs of the paper.
struct TrivialPredictor {
  std::string name;
  int degree;
};
const std::vector<TrivialPredictor>& trivial_predictors();  // "constant velocity", "cubic extrapolation"

// The next `steps` positions, (trajectory, steps, point, 3).
//
//   extrapolate(inputs, {1024, 4, 32}, 4, 1);   // constant velocity
std::vector<float> extrapolate(std::span<const float> positions, const MotionShape& shape, std::size_t steps,
                               int degree);

struct PredictedMotion {
  std::vector<float> positions, velocities;
};

// The same with velocities v_t = x_(t+1) - x_t, of which the last one gives another position.
PredictedMotion extrapolate(std::span<const float> positions, std::span<const float> velocities,
                            const MotionShape& shape, std::size_t steps, int degree);

}  // namespace gcan::sim::tetris
