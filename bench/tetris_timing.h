#pragma once

// How long the Tetris simulator takes; called by the `simulators` benchmark.
namespace gcan::bench {

// Seconds of wall time for 100 000 trajectories, positions and velocities, into memory that is there: the
// least of several runs.
double tetris_seconds(int threads);

// Prints it as VALUE lines.
void report_tetris();

}  // namespace gcan::bench
