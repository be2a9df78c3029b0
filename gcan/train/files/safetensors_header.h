#pragma once

// The header of a safetensors file: what the file says of its tensors, checked before a number is read.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace gcan::train {

// Whether a file without our checksum, such as one from Python, is good enough.
enum class Checksum { required, if_present };

struct TensorPlace {
  std::string name;
  std::string type;  // "F32" and the other words of the format
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes of `data`
};

struct SafetensorsHeader {
  std::vector<TensorPlace> tensors;             // every byte of `data` belongs to exactly one
  std::map<std::string, std::string> metadata;  // without the checksum
  std::span<const std::byte> data;              // of the bytes that were given
};

// Error, with the name, for bytes that break a rule of the format (safetensors.h has them) or whose checksum
// is wrong.
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> bytes, const std::string& name,
                                           Checksum checksum);

}  // namespace gcan::train
