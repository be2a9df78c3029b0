#pragma once

#include <string>

#include "gcan/train/files/safetensors.h"

namespace gcan::train {

// Saves and loads the parameters and buffers of any LibTorch module as safetensors.
//
//   gcan::train::save_module("network.safetensors", *network);
//   gcan::train::load_module("network.safetensors", *network);
void save_module(const std::string& path, const torch::nn::Module& module);

// Loads into a module of the same structure; accepts files without our checksum, such as from Python. Error,
// with the path, if the file is damaged or its tensors do not match the module's.
void load_module(const std::string& path, torch::nn::Module& module);

}  // namespace gcan::train
