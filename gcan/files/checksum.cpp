#include "gcan/files/checksum.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/files/descriptor.h"

namespace gcan::files {
namespace {

constexpr std::string_view kMark = R"("crc32":")";
constexpr std::size_t kDigits = 8;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::uint32_t crc32_of(const std::string& text, std::span<const std::byte> rest) {
  return crc32(rest, crc32(bytes_of(text)));
}

constexpr std::string_view kFileMark = "\ngcan-xxh3-128 ";
constexpr std::size_t kLineSize = kFileMark.size() + 32 + 1;  // with the digits and the newline

std::string last_line(XXH128_hash_t hash) {
  return fmt::format("{}{:016x}{:016x}\n", kFileMark, hash.high64, hash.low64);
}

// The first `size` bytes of a file.
XXH128_hash_t hash_of(int file, std::uint64_t size, const std::string& path) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::vector<std::byte> block(std::min<std::uint64_t>(size, 1U << 20U));
  for (std::uint64_t at = 0; at < size;) {
    const ssize_t got =
        ::pread(file, block.data(), std::min<std::uint64_t>(block.size(), size - at), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw Error(fmt::format("{}: cannot be read: {}", path,
                              got == 0 ? "it was truncated meanwhile" : reason(errno)));
    XXH3_128bits_update(state.get(), block.data(), static_cast<std::size_t>(got));
    at += static_cast<std::uint64_t>(got);
  }
  return XXH3_128bits_digest(state.get());
}

std::uint64_t size_of(int file) {
  struct stat info {};
  return ::fstat(file, &info) == 0 && S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
}

// The last line of a file; empty if it is not a checksum.
std::string line_in(int file, std::uint64_t size, const std::string& path) {
  if (size < kLineSize) return "";
  std::string line(kLineSize, '\0');
  if (::pread(file, line.data(), line.size(), static_cast<off_t>(size - kLineSize)) !=
      static_cast<ssize_t>(kLineSize))
    throw Error(fmt::format("{}: cannot be read: {}", path, reason(errno)));
  return line.starts_with(kFileMark) ? line : "";
}

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  // zlib would restart at a null pointer.
  if (bytes.empty()) return before;
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t checksum(std::span<const float> values) { return crc32(std::as_bytes(values)); }

void seal(std::string& text, std::span<const std::byte> rest) {
  const auto at = text.find(kMark) + kMark.size();
  text.replace(at, kDigits, fmt::format("{:08x}", crc32_of(text, rest)));
}

Seal check_seal(const std::string& text, std::span<const std::byte> rest) {
  const auto mark = text.find(kMark);
  if (mark == std::string::npos || mark + kMark.size() + kDigits > text.size()) return Seal::none;
  const auto at = mark + kMark.size();
  std::string open = text;
  open.replace(at, kDigits, kOpenSeal);
  return text.substr(at, kDigits) == fmt::format("{:08x}", crc32_of(open, rest)) ? Seal::intact
                                                                                 : Seal::broken;
}

void seal_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (file.number() < 0) throw Error(fmt::format("{}: cannot be written: {}", path, reason(errno)));
  std::uint64_t size = size_of(file.number());
  // A program killed at this point may have written the line already.
  if (!line_in(file.number(), size, path).empty()) size -= kLineSize;
  const std::string line = last_line(hash_of(file.number(), size, path));
  if (::ftruncate(file.number(), static_cast<off_t>(size)) != 0 ||
      !write_all(file.number(), bytes_of(line)) || !file.close())
    throw Error(fmt::format("{}: cannot be written: {}", path, reason(errno)));
}

Seal check_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) throw Error(fmt::format("{}: cannot be read: {}", path, reason(errno)));
  const std::uint64_t size = size_of(file.number());
  const std::string line = line_in(file.number(), size, path);
  if (line.empty()) return Seal::none;
  return line == last_line(hash_of(file.number(), size - kLineSize, path)) ? Seal::intact : Seal::broken;
}

}  // namespace gcan::files
