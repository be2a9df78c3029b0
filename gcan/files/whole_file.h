#pragma once

// What it takes that a file is whole or not there at all: room before the first byte, a name after the last
// one, and checksums of what is in it.

#include <cstdint>
#include <span>
#include <string>

namespace gcan::files {

// CRC-32 of the bytes, as Python's zlib.crc32 gives it.
std::uint32_t checksum(std::span<const float> values);

// Error unless the folder of `name` exists and has room for so many bytes.
void check_room(const std::string& name, std::uint64_t bytes);

// Renames a file that is complete, once its bytes are on the disk.
void give_name(const std::string& from, const std::string& to);

}  // namespace gcan::files
