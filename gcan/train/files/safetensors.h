#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gcan/torch.h"
#include "gcan/train/files/safetensors_header.h"

namespace gcan::train {

// Tensors by name, in their order.
using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

// The safetensors format (https://github.com/huggingface/safetensors): eight bytes with the length of a JSON
// header (little-endian), the header, the numbers. Python reads it with safetensors.torch.load_file. Unlike
// pickle it runs no code, and unlike torch::load it can be checked: every file we write carries a CRC-32 of
// all its bytes in the header's "__metadata__".
//
//   write_safetensors("w.safetensors", {{"layer.weight", w}}, {{"step", "100"}});
//   for (auto& [name, tensor] : read_safetensors("w.safetensors").tensors) ...
struct Safetensors {
  NamedTensors tensors;
  std::map<std::string, std::string> metadata;  // without the checksum
};

// Writes durably (files.h). Numbers are written as they are stored, on the CPU, row by row.
void write_safetensors(const std::string& path, const NamedTensors& tensors,
                       const std::map<std::string, std::string>& metadata = {});

// Reads every tensor into memory of its own. Error, with the path, for a file that cannot be read or breaks a
// rule of the format: a header of more than 100 MB, one that is not JSON or names a tensor twice, an unknown
// type, numbers outside the file, in two tensors or in none; and for one whose checksum is wrong.
Safetensors read_safetensors(const std::string& path, Checksum checksum = Checksum::required);

// The same of a file's bytes; `name` is for errors.
Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& name, Checksum checksum);

}  // namespace gcan::train
