#pragma once

#include "gcan/train/config.h"

namespace gcan::train {

// What a training holds in memory [bytes].
struct MemoryNeeds {
  double weights = 0;
  double optimizer = 0;    // gradients, moments, averages, the best weights so far
  double activations = 0;  // of a batch, what its gradient needs; 0 where it is clear that they are few
  double data = 0;         // trajectories that are kept

  [[nodiscard]] double total() const { return weights + optimizer + activations + data; }
};

// The configuration's network. Error, before the machine is out of memory, for one that is too large to be
// trained in what is free.
models::NetworkPtr make_fitting_network(const Config& config);

// Estimated from the network's parameters and, where it may be much, from trials with one and two examples,
// which leave the network and torch's random numbers as they were.
MemoryNeeds memory_needs(const Config& config, models::Network& network, Task& task);

// Error with the parts of it and what to reduce unless it is free.
void check_memory(const Config& config, models::Network& network, Task& task);
// The same of numbers.
void check_memory(const Config& config, const MemoryNeeds& needs, double free);

}  // namespace gcan::train
