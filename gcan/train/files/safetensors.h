#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gcan/torch.h"
#include "gcan/train/files/safetensors_header.h"

namespace gcan::train {

// Named tensors, in order.
using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

// The safetensors format (https://github.com/huggingface/safetensors): eight bytes with the length of a JSON
// header (little-endian), the header, the data. Python reads it with safetensors.torch.load_file. Unlike
// pickle it runs no code, and unlike torch::load it can be verified: files that we write have a CRC-32 of all
// their bytes in the header's "__metadata__".
//
//   write_safetensors("w.safetensors", {{"layer.weight", w}}, {{"step", "100"}});
//   for (auto& [name, tensor] : read_safetensors("w.safetensors").tensors) ...
struct Safetensors {
  NamedTensors tensors;
  std::map<std::string, std::string> metadata;  // without the checksum
};

// Writes durably (durable.h).
void write_safetensors(const std::string& path, const NamedTensors& tensors,
                       const std::map<std::string, std::string>& metadata = {});

// Reads all tensors. Error, with the path, for a file that cannot be read, has a wrong checksum or violates
// the format: a header that is larger than 100 MB, not JSON or names a tensor twice, an unknown type, and
// data outside the file, in two tensors or in none.
Safetensors read_safetensors(const std::string& path, Checksum checksum = Checksum::required);

// The same for the bytes of a file; `name` is for errors.
Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& name, Checksum checksum);

}  // namespace gcan::train
