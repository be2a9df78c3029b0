#include "gcan/sim/tetris/predictors.h"

#include "gcan/base/error.h"

namespace gcan::sim::tetris {
namespace {

// The Lagrange weights of the positions at 0 .. degree for the value at `place`.
std::vector<double> weights_at(double place, int degree) {
  std::vector<double> weights;
  for (int i = 0; i <= degree; ++i) {
    double weight = 1;
    for (int j = 0; j <= degree; ++j)
      if (j != i) weight *= (place - j) / (i - j);
    weights.push_back(weight);
  }
  return weights;
}

void check(std::size_t numbers, const MotionShape& shape, int degree) {
  if (numbers != shape.size())
    throw Error("tetris: the predictor got " + std::to_string(numbers) + " numbers, but the shape has " +
                std::to_string(shape.size()));
  if (degree < 0 || static_cast<std::size_t>(degree) >= shape.steps)
    throw Error("tetris: a polynomial of degree " + std::to_string(degree) + " needs " +
                std::to_string(degree + 1) + " positions, but there are " + std::to_string(shape.steps));
}

}  // namespace

const std::vector<TrivialPredictor>& trivial_predictors() {
  static const std::vector<TrivialPredictor> both{{"constant velocity", 1}, {"cubic extrapolation", 3}};
  return both;
}

std::vector<float> extrapolate(std::span<const float> positions, const MotionShape& shape, std::size_t steps,
                               int degree) {
  check(positions.size(), shape, degree);
  const std::size_t row = shape.points * 3;
  std::vector<float> result;
  result.reserve(shape.trajectories * steps * row);
  for (std::size_t k = 0; k < shape.trajectories; ++k)
    for (std::size_t step = 1; step <= steps; ++step) {
      const auto weights = weights_at(static_cast<double>(degree) + static_cast<double>(step), degree);
      const float* first = positions.data() + ((k + 1) * shape.steps - weights.size()) * row;
      for (std::size_t i = 0; i < row; ++i) {
        double value = 0;
        for (std::size_t w = 0; w < weights.size(); ++w)
          value += weights[w] * static_cast<double>(first[w * row + i]);
        result.push_back(static_cast<float>(value));
      }
    }
  return result;
}

PredictedMotion extrapolate(std::span<const float> positions, std::span<const float> velocities,
                            const MotionShape& shape, std::size_t steps, int degree) {
  check(positions.size(), shape, degree);
  check(velocities.size(), shape, degree);
  const std::size_t row = shape.points * 3;
  const MotionShape longer{shape.trajectories, shape.steps + 1, shape.points};
  std::vector<float> known;
  known.reserve(longer.size());
  for (std::size_t k = 0; k < shape.trajectories; ++k) {
    const auto begin = positions.begin() + static_cast<std::ptrdiff_t>(k * shape.steps * row);
    known.insert(known.end(), begin, begin + static_cast<std::ptrdiff_t>(shape.steps * row));
    const std::size_t last = ((k + 1) * shape.steps - 1) * row;
    for (std::size_t i = 0; i < row; ++i) known.push_back(positions[last + i] + velocities[last + i]);
  }
  const std::vector<float> next = extrapolate(known, longer, steps, degree);
  PredictedMotion result;
  for (std::size_t k = 0; k < shape.trajectories; ++k) {
    // The position implied by the last velocity is the first prediction; the last position is only used for
    // its velocity.
    const auto end = known.begin() + static_cast<std::ptrdiff_t>((k + 1) * longer.steps * row);
    std::vector<float> all(end - static_cast<std::ptrdiff_t>(row), end);
    const auto begin = next.begin() + static_cast<std::ptrdiff_t>(k * steps * row);
    all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(steps * row));
    result.positions.insert(result.positions.end(), all.begin(),
                            all.begin() + static_cast<std::ptrdiff_t>(steps * row));
    for (std::size_t i = 0; i < steps * row; ++i) result.velocities.push_back(all[i + row] - all[i]);
  }
  return result;
}

}  // namespace gcan::sim::tetris
