#pragma once

// The device of a network, as named by the option --device.

#include <string>

#include "gcan/torch.h"

namespace gcan::train {

// "cpu"; "cuda", the GPU with this process's local rank; "cuda:1"; "auto", which is "cuda" if LibTorch finds
// a GPU and "cpu" otherwise. Error for other words, if this LibTorch has no CUDA, and if there is no such
// GPU.
torch::Device device_named(const std::string& name, int local_rank = 0);

// The same for a machine with this many GPUs, and a LibTorch with or without CUDA.
torch::Device device_named(const std::string& name, int local_rank, int gpus, bool has_cuda);

// Copies a tensor to a device; to a GPU from pinned memory, so that the host does not wait.
torch::Tensor sent_to(const torch::Device& device, const torch::Tensor& tensor);

}  // namespace gcan::train
