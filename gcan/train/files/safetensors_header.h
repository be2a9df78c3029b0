#pragma once

// Parses and validates the header of a safetensors file.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace gcan::train {

// Whether to accept a file without our checksum, such as from Python.
enum class Checksum { required, if_present };

struct TensorPlace {
  std::string name;
  std::string type;  // the format's name of the type, such as "F32"
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes of `data`
};

struct SafetensorsHeader {
  std::vector<TensorPlace> tensors;             // every byte of `data` belongs to exactly one
  std::map<std::string, std::string> metadata;  // without the checksum
  std::span<const std::byte> data;              // of the bytes that were given
};

// Error, with the name, for bytes that violate the format (see safetensors.h) or have a wrong checksum.
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> bytes, const std::string& name,
                                           Checksum checksum);

}  // namespace gcan::train
