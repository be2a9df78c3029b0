#pragma once

// Checksums: of numbers, of texts that hold their own, and of whole files.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gcan::files {

// CRC-32 of bytes, as zlib's, going on from that of the bytes before them.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

// CRC-32 of the bytes of numbers, as Python's zlib.crc32 gives it.
std::uint32_t checksum(std::span<const float> values);

// A text that holds its own checksum: `text` contains the mark "crc32":"00000000" once, and its digits are
// replaced by the CRC-32 of everything, with `rest` after it, as it was with zeros. `rest` stays as it is.
void seal(std::string& text, std::span<const std::byte> rest = {});

enum class Seal { none, intact, broken };
// What the seal says of text and rest.
Seal check_seal(const std::string& text, std::span<const std::byte> rest = {});

inline constexpr const char* kSealKey = "crc32";
inline constexpr const char* kOpenSeal = "00000000";

// A file that ends in a line with the XXH3-128 of all its other bytes. HDF5 ignores what follows its own
// end of the file, and drops it when something changes the file.
void seal_file(const std::string& path);

// What the last line of a file says of the rest. Error when the file cannot be read.
Seal check_file(const std::string& path);

}  // namespace gcan::files
