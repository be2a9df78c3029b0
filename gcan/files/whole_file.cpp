#include "gcan/files/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>

#include "gcan/base/error.h"

namespace gcan::files {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const std::string& name) {
  const fs::path parent = fs::path(name).parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

std::string size_text(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  return size < 1e9 ? fmt::format("{:.3g} MB", size / 1e6) : fmt::format("{:.4g} GB", size / 1e9);
}

// Without it a power cut could leave the new name with nothing behind it. File systems that cannot do it
// lose nothing else.
void sync(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

}  // namespace

std::uint32_t checksum(std::span<const float> values) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(values.data()), values.size() * sizeof(float)));
}

void check_room(const std::string& name, std::uint64_t bytes) {
  std::error_code problem;
  const fs::path folder = folder_of(name);
  if (!fs::is_directory(folder, problem))
    throw Error(fmt::format("{}: there is no folder '{}' to write into", name, folder.string()));
  const fs::space_info space = fs::space(folder, problem);
  if (!problem && space.available < bytes)
    throw Error(fmt::format("{}: the data takes {}, but the disk has room for {}", name, size_text(bytes),
                            size_text(space.available)));
}

void give_name(const std::string& from, const std::string& to) {
  sync(from);
  std::error_code problem;
  fs::rename(from, to, problem);
  if (problem) throw Error(fmt::format("{}: cannot be renamed to '{}': {}", from, to, problem.message()));
  sync(folder_of(to).string());
}

}  // namespace gcan::files
