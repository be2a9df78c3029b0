#pragma once

// Checksums of numbers, of text that contains its own checksum, and of whole files.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gcan::files {

// zlib's CRC-32; `before` is the CRC-32 of preceding bytes.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

// CRC-32 of the bytes of numbers, equal to Python's zlib.crc32.
std::uint32_t checksum(std::span<const float> values);

// Text that contains its own checksum: `text` contains the mark "crc32":"00000000" once, and the zeros are
// replaced by the CRC-32 of `text` (with zeros) followed by `rest`.
void seal(std::string& text, std::span<const std::byte> rest = {});

enum class Seal { none, intact, broken };
// Checks the seal of text and rest.
Seal check_seal(const std::string& text, std::span<const std::byte> rest = {});

inline constexpr const char* kSealKey = "crc32";
inline constexpr const char* kOpenSeal = "00000000";

// Appends a line with the XXH3-128 of all bytes before it. HDF5 ignores bytes after its own end of file, and
// drops them when it changes the file.
void seal_file(const std::string& path);

// Checks the checksum in the last line of a file. Error if the file cannot be read.
Seal check_file(const std::string& path);

}  // namespace gcan::files
