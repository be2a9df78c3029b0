#pragma once

// What the ranks of a run tell each other at its start.

#include <string>

#include "gcan/distributed/group.h"
#include "gcan/train/config.h"
#include "gcan/train/files/checkpoint.h"

namespace gcan::train {

// Error on all ranks, with the first one that differs and in what, unless all have the same version,
// LibTorch, configuration, data and number of parameters.
void check_alike(distributed::Group& group, const Config& config, const Task& task, std::int64_t parameters);

// Error when a rank would get no part of a batch.
void check_parts(const distributed::Group& group, const Config& config);

// From rank 0.
void broadcast_state(distributed::Group& group, State& state);

// The numbers on which predictions depend, from rank 0.
void broadcast_constants(distributed::Group& group, Task& task);

// Of all numbers of some tensors.
std::string checksum_of(const NamedTensors& tensors);

}  // namespace gcan::train
