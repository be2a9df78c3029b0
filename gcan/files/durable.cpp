#include "gcan/files/durable.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "gcan/base/error.h"
#include "gcan/base/human.h"
#include "gcan/files/descriptor.h"
#include "gcan/files/partial_name.h"

namespace gcan::files {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string folder_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

Error not_written(const std::string& path, int problem) {
  return Error(fmt::format("'{}' cannot be written: {}", path, reason(problem)));
}

// Only regular files: the path may be a device.
void remove_file(const std::string& path) {
  std::error_code ignored;
  if (fs::is_regular_file(fs::symlink_status(path, ignored))) fs::remove(path, ignored);
}

void rename_durably(const std::string& from, const std::string& to) {
  std::error_code problem;
  fs::rename(from, to, problem);
  if (problem) throw Error(fmt::format("'{}' cannot be renamed to '{}': {}", from, to, problem.message()));
  flush_folder(folder_of(to));
}

// PATH.partial, empty, locked by this process and not a link.
Descriptor open_partial(const std::string& path) {
  while (true) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
    if (file.number() < 0) throw not_written(path, errno);
    lock(file.number());
    // Another process may have renamed it meanwhile.
    if (!is_at(file.number(), path)) continue;
    if (::ftruncate(file.number(), 0) != 0) throw not_written(path, errno);
    return file;
  }
}

}  // namespace

void write_durably(const std::string& path, std::span<const std::byte> bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number() < 0) throw not_written(path, errno);
  if (write_all(file.number(), bytes) && ::fsync(file.number()) == 0 && file.close()) return;
  const int problem = errno;
  remove_file(path);
  throw not_written(path, problem);
}

void write_durably(const std::string& path, const std::string& text) { write_durably(path, bytes_of(text)); }

void replace_durably(const std::string& path, const std::string& text) {
  const std::string beside = partial_name(path);
  const Descriptor file = open_partial(beside);
  std::error_code problem;
  if (!write_all(file.number(), bytes_of(text)) || ::fsync(file.number()) != 0)
    problem.assign(errno, std::generic_category());
  else
    fs::rename(beside, path, problem);
  if (problem) {
    remove_file(beside);
    throw not_written(path, problem.value());
  }
  flush_folder(folder_of(path));
}

void give_name(const std::string& from, const std::string& to) {
  flush_file(from);
  rename_durably(from, to);
}

void replace_link(const std::string& target, const std::string& link) {
  const std::string beside = partial_name(link);
  remove_file(beside);
  std::error_code problem;
  if (fs::is_symlink(fs::symlink_status(beside, problem))) fs::remove(beside, problem);
  fs::create_symlink(target, beside, problem);
  if (problem) throw not_written(link, problem.value());
  rename_durably(beside, link);
}

void flush_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0 || ::fsync(file.number()) != 0) throw not_written(path, errno);
}

void flush_folder(const std::string& folder) {
  const std::string path = folder.empty() ? "." : folder;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // EINVAL: a file system that flushes its directory entries itself.
  if (file.number() < 0 || (::fsync(file.number()) != 0 && errno != EINVAL)) {
    throw Error(fmt::format("the folder '{}' cannot be written: {}", path, reason(errno)));
  }
}

void make_folder(const std::string& folder) {
  std::error_code problem;
  const bool is_link = fs::is_symlink(fs::symlink_status(folder, problem));
  if (is_link && !fs::exists(folder, problem)) {
    throw Error(
        fmt::format("the folder '{}' cannot be created: there is a link of that name to '{}', which "
                    "does not exist",
                    folder, fs::read_symlink(folder, problem).string()));
  }
  fs::create_directories(folder, problem);
  std::error_code ignored;
  if (!problem && !fs::is_directory(folder, ignored))
    problem = std::make_error_code(std::errc::not_a_directory);
  if (problem) throw Error(fmt::format("the folder '{}' cannot be created: {}", folder, problem.message()));
}

void check_room(const std::string& name, std::uint64_t bytes) {
  std::error_code problem;
  const std::string folder = folder_of(name);
  if (!fs::is_directory(folder, problem))
    throw Error(fmt::format("{}: there is no folder '{}' to write into", name, folder));
  const fs::space_info space = fs::space(folder, problem);
  if (!problem && space.available < bytes)
    throw Error(fmt::format("{}: the data takes {}, but the disk has room for {}", name,
                            base::size_text(static_cast<double>(bytes)),
                            base::size_text(static_cast<double>(space.available))));
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  if (!file || fs::is_directory(path, ignored)) throw Error(fmt::format("'{}' cannot be read", path));
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) throw Error(fmt::format("'{}' cannot be read", path));
  return text;
}

}  // namespace gcan::files
