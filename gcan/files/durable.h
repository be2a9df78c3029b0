#pragma once

// Files that survive a killed program, a full disk and a power cut: written and flushed to the disk before
// their name can be seen.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gcan::files {

// Writes a file and flushes it to the disk. Error, with the path and the reason, when that is not possible;
// what was written of it is then removed, if it is a regular file.
void write_durably(const std::string& path, std::span<const std::byte> bytes);
void write_durably(const std::string& path, const std::string& text);

// The same under a name beside it that is changed in one step: readers see the old file or the new one.
void replace_durably(const std::string& path, const std::string& text);

// Flushes a folder's own list of names.
void flush_folder(const std::string& folder);

// Makes a folder and those above it. Error, with the reason, when that is not possible.
void make_folder(const std::string& folder);

// Error, with the path, when it cannot be read.
std::string read_whole(const std::string& path);

// CRC-32 of bytes, as zlib's, going on from that of the bytes before them.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

// A text that holds its own checksum: `text` contains the mark "crc32":"00000000" once, and its digits are
// replaced by the CRC-32 of everything, with `rest` after it, as it was with zeros. `rest` stays as it is.
void seal(std::string& text, std::span<const std::byte> rest = {});

enum class Seal { none, intact, broken };
// What the seal says of text and rest.
Seal check_seal(const std::string& text, std::span<const std::byte> rest = {});

inline constexpr const char* kSealKey = "crc32";
inline constexpr const char* kOpenSeal = "00000000";

}  // namespace gcan::files
