#include "gcan/train/files/module_file.h"

#include "gcan/train/loop/optimizer.h"

namespace gcan::train {

void save_module(const std::string& path, const torch::nn::Module& module) {
  write_safetensors(path, weights_of(module));
}

void load_module(const std::string& path, torch::nn::Module& module) {
  copy_by_name(read_safetensors(path, Checksum::if_present).tensors, weights_of(module), path);
}

}  // namespace gcan::train
