#pragma once

#include "gcan/sim/shallow_water/options.h"

// The speed of the shallow-water simulator, for the `simulators` benchmark.
namespace gcan::bench {

// Seconds of wall time per trajectory of 526 steps from "random2", including its start and 89 frames on the
// grid, with `threads` threads: the minimum over `trajectories` trajectories, without making the tables.
double shallow_water_trajectory_seconds(sim::shallow_water::Precision precision, int threads,
                                        int trajectories);
// Seconds of one time step at a truncation, one thread.
double shallow_water_step_seconds(int truncation);
// The alternative to the transforms of the simulator: seconds of one T62 step and trajectory for the nine
// Legendre transforms alone, even and odd split, by OpenBLAS on one thread, `batch` trajectories at a time;
// and for the nine Fourier transforms as one matrix product.
double blas_legendre_seconds(int batch);
double blas_fourier_seconds(int batch);

// Prints all of it as VALUE lines.
void report_shallow_water();

}  // namespace gcan::bench
