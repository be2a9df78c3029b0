#include "gcan/files/durable.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "gcan/base/error.h"

namespace gcan::files {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = R"("crc32":")";
constexpr std::size_t kDigits = 8;

std::string reason(int number) { return std::generic_category().message(number); }

// A file descriptor, closed with the object.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  // Some file systems tell only here that the disk was full.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::uint32_t crc32_of(const std::string& text, std::span<const std::byte> rest) {
  return crc32(rest, crc32(bytes_of(text)));
}

}  // namespace

void write_durably(const std::string& path, std::span<const std::byte> bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number() < 0) throw Error(fmt::format("'{}' cannot be written: {}", path, reason(errno)));
  if (write_all(file.number(), bytes) && ::fsync(file.number()) == 0 && file.close()) return;
  const int problem = errno;
  // Never anything but a file: the path may be a device.
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) fs::remove(path, ignored);
  throw Error(fmt::format("'{}' cannot be written: {}", path, reason(problem)));
}

void write_durably(const std::string& path, const std::string& text) { write_durably(path, bytes_of(text)); }

void replace_durably(const std::string& path, const std::string& text) {
  const std::string beside = path + ".partial";
  write_durably(beside, text);
  std::error_code problem;
  fs::rename(beside, path, problem);
  if (problem) throw Error(fmt::format("'{}' cannot be written: {}", path, problem.message()));
  flush_folder(fs::path(path).parent_path().string());
}

void flush_folder(const std::string& folder) {
  const std::string path = folder.empty() ? "." : folder;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // EINVAL: a file system that flushes its names by itself.
  if (file.number() < 0 || (::fsync(file.number()) != 0 && errno != EINVAL)) {
    throw Error(fmt::format("the folder '{}' cannot be written: {}", path, reason(errno)));
  }
}

void make_folder(const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (!problem && !fs::is_directory(folder)) problem = std::make_error_code(std::errc::not_a_directory);
  if (problem) throw Error(fmt::format("the folder '{}' cannot be made: {}", folder, problem.message()));
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path)) throw Error(fmt::format("'{}' cannot be read", path));
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) throw Error(fmt::format("'{}' cannot be read", path));
  return text;
}

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  // zlib takes a null pointer for the wish to begin anew.
  if (bytes.empty()) return before;
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

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

}  // namespace gcan::files
