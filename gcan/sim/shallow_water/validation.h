#pragma once

#include <string>
#include <vector>

#include "gcan/sim/check.h"
#include "gcan/sim/shallow_water/options.h"

namespace gcan::sim::shallow_water {

// Round trips of the transforms and of vorticity, divergence -> wind -> vorticity, divergence at a
// truncation.
std::vector<Check> check_transforms(int truncation);
// Williamson test 2, five days: a steady state must stay; area mean of eta.
std::vector<Check> check_steady_flow();
// Frequency of free gravity waves without rotation: tan(w dt) = w0 dt, w0 = sqrt(g H l (l+1)) / R.
std::vector<Check> check_gravity_waves();
// Williamson test 5, day 15: extremes, energy and mass.
std::vector<Check> check_mountain();
// Williamson test 6, day 14: extremes and speed of the wave.
std::vector<Check> check_rossby_haurwitz();
// Balance of the Galewsky jet.
std::vector<Check> check_jet();
// Order of the error in the time step, without filter and with the filter of the paper.
std::vector<Check> check_convergence();
// Largest relative difference of a float run from the double run of the same start.
std::vector<Check> check_float();

// All of the above; takes a few seconds.
std::vector<Check> validation_checks();

// Statistics over frames, trajectories and grid points (area weights not applied, as in the public data set).
struct FieldStatistics {
  std::string name;
  std::string unit;
  double mean;
  double deviation;
  double smallest;
  double largest;
  double persistence;  // root-mean-square difference of successive frames / deviation [1]
};
// u, v and pres (eta) of `count` trajectories; the statistics of "random2" are compared with those of the
// public set.
std::vector<FieldStatistics> trajectory_statistics(const Options& options, int count, int threads);

}  // namespace gcan::sim::shallow_water
