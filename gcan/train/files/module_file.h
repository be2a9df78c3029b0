#pragma once

#include <string>

#include "gcan/train/files/safetensors.h"

namespace gcan::train {

// Any LibTorch module as a safetensors file: its parameters and buffers under their names.
//
//   gcan::train::save_module("network.safetensors", *network);
//   gcan::train::load_module("network.safetensors", *network);
void save_module(const std::string& path, const torch::nn::Module& module);

// Into a module of the same structure; a file without our checksum, such as one from Python, is accepted.
// Error, with the path, when the file is damaged or its tensors are not those of the module.
void load_module(const std::string& path, torch::nn::Module& module);

}  // namespace gcan::train
