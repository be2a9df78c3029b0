#pragma once

// Which device a network runs on, by the words of the program's --device.

#include <string>

#include "gcan/torch.h"

namespace gcan::train {

// "cpu"; "cuda": the GPU of this process, whose number is that of the process among those on this machine;
// "cuda:1"; "auto": as "cuda" where LibTorch finds a GPU, else the CPU. Error for another word, where this
// LibTorch has no CUDA, where it finds no GPU, and for a number that no GPU has.
torch::Device device_named(const std::string& name, int local_rank = 0);

// The same, of a machine with so many GPUs and a LibTorch that has CUDA or not.
torch::Device device_named(const std::string& name, int local_rank, int gpus, bool has_cuda);

// A tensor on a device; to a GPU through pinned memory, so that the host does not wait for the copy.
torch::Tensor sent_to(const torch::Device& device, const torch::Tensor& tensor);

}  // namespace gcan::train
