#pragma once

// The speed of the Tetris simulator, for the `simulators` benchmark.
namespace gcan::bench {

// Seconds of wall time for 100 000 trajectories, positions and velocities, into allocated memory: the minimum
// of several runs.
double tetris_seconds(int threads);

// Prints it as VALUE lines.
void report_tetris();

}  // namespace gcan::bench
