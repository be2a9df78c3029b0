#pragma once

// Communication between the ranks at the start of a run.

#include <string>

#include "gcan/distributed/group.h"
#include "gcan/train/config.h"
#include "gcan/train/files/checkpoint.h"

namespace gcan::train {

// train.backend. Error if it cannot work with this device or launcher.
distributed::Backend backend_of(const config::Options& train, const torch::Device& device,
                                const base::Launch& launch);

// Error on all ranks, naming the first difference, unless all have the same version, LibTorch, configuration,
// data, number of parameters and type of device.
void check_alike(distributed::Group& group, const Config& config, const Task& task, std::int64_t parameters,
                 const torch::Device& device = torch::kCPU);

// Error if a rank would get no part of a batch.
void check_parts(const distributed::Group& group, const Config& config);

// From rank 0.
void broadcast_state(distributed::Group& group, State& state);

// Sends the task's constants from rank 0.
void broadcast_constants(distributed::Group& group, Task& task);

// The checksum of some tensors.
std::string checksum_of(const NamedTensors& tensors);

}  // namespace gcan::train
