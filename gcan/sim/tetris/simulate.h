#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gcan/sim/tetris/options.h"
#include "gcan/sim/tetris/shapes.h"

namespace gcan::sim::tetris {

// What to run. Trajectory k of a seed does not depend on the other members.
struct Job {
  Options options;
  std::uint64_t first_trajectory = 0;
  std::size_t trajectories = 1;
  int threads = 1;

  // The size of the arrays of positions and of velocities.
  std::size_t size() const { return trajectories * static_cast<std::size_t>(options.steps) * kPoints * 3; }
};

// Fills positions x_t and velocities v_t = x_(t+1) - x_t, both (trajectory, step, point, 3); velocities may
// be an empty span. Error for invalid options and for spans of another size.
//
//   Job job{.options = Options::paper(), .trajectories = 1024, .threads = 2};
//   std::vector<float> positions(job.size()), velocities(job.size());
//   simulate(job, positions, velocities);
void simulate(const Job& job, std::span<float> positions, std::span<float> velocities = {});

}  // namespace gcan::sim::tetris
