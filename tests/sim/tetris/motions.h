#pragma once

// Simulated Tetris motions with names for what tests look at.

#include <array>
#include <cmath>
#include <vector>

#include "gcan/sim/tetris/simulate.h"

namespace gcan::sim::tetris {

struct Motions {
  Job job;
  std::vector<float> positions, velocities;

  explicit Motions(const Options& options, std::size_t trajectories, std::uint64_t first = 0, int threads = 1)
      : job{options, first, trajectories, threads}, positions(job.size()), velocities(job.size()) {
    simulate(job, positions, velocities);
  }

  Vector3 at(std::size_t trajectory, std::size_t step, std::size_t point, bool velocity = false) const {
    const auto& values = velocity ? velocities : positions;
    const std::size_t i =
        ((trajectory * static_cast<std::size_t>(job.options.steps) + step) * kPoints + point) * 3;
    return {values[i], values[i + 1], values[i + 2]};
  }

  // Mean of an object's points.
  Vector3 centre(std::size_t trajectory, std::size_t step, std::size_t object) const {
    Vector3 mean{};
    for (std::size_t p = 0; p < kPointsPerObject; ++p)
      for (std::size_t i = 0; i < 3; ++i)
        mean[i] += at(trajectory, step, object * kPointsPerObject + p)[i] / 4;
    return mean;
  }

  // Positions of the steps from `begin` to before `end`.
  std::vector<float> steps(std::size_t begin, std::size_t end) const {
    std::vector<float> result;
    const std::size_t row = kPoints * 3, all = static_cast<std::size_t>(job.options.steps);
    for (std::size_t k = 0; k < job.trajectories; ++k)
      result.insert(result.end(), positions.begin() + static_cast<std::ptrdiff_t>((k * all + begin) * row),
                    positions.begin() + static_cast<std::ptrdiff_t>((k * all + end) * row));
    return result;
  }
};

inline Vector3 operator-(const Vector3& a, const Vector3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vector3& a) { return std::sqrt(dot(a, a)); }

}  // namespace gcan::sim::tetris
