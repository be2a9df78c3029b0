#pragma once

// The speed of the smoke simulator, for the `simulators` benchmark.
namespace gcan::bench {

// Seconds of wall time per trajectory of 64 steps with cells^2 cells of the paper's size, including initial
// smoke: the minimum of `repeats` runs, each with `trajectories` trajectories on `threads` threads.
template <class Real>
double smoke_trajectory_seconds(int cells, int threads, int trajectories, int repeats);

// Seconds of one pressure solve on cells^2 cells, the minimum of several runs: ours (cosines in x,
// elimination in y), and the alternative without our own transform: cosine matrices multiplied by OpenBLAS.
double smoke_pressure_seconds(int cells);
double dense_pressure_seconds(int cells);

// Prints all of it as VALUE lines.
void report_smoke();

}  // namespace gcan::bench
