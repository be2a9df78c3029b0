#pragma once

#include "gcan/train/config.h"

namespace gcan::train {

// The memory of a training [bytes].
struct MemoryNeeds {
  double weights = 0;
  double optimizer = 0;    // gradients, moments, averages, best weights
  double activations = 0;  // activations of a batch for its gradient; 0 if they are clearly small
  double data = 0;         // cached trajectories

  [[nodiscard]] double total() const { return weights + optimizer + activations + data; }
};

// Makes the configuration's network. Error, before the machine runs out of memory, if it is too large to be
// trained in the free memory.
models::NetworkPtr make_fitting_network(const Config& config);

// Estimates the memory from the network's parameters and, if activations may be large, from trial steps with
// one and two examples, which do not change the network or torch's random state.
MemoryNeeds memory_needs(const Config& config, models::Network& network, Task& task);

// Error with the breakdown and a remedy unless the memory is free.
void check_memory(const Config& config, models::Network& network, Task& task);
// The same for given numbers.
void check_memory(const Config& config, const MemoryNeeds& needs, double free);

}  // namespace gcan::train
