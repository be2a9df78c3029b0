#include "gcan/files/unfinished.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <string_view>

namespace gcan::files {
namespace {

// Of fixed size, because a signal handler must neither allocate nor lock.
struct Entry {
  std::atomic<bool> used{false};
  std::array<char, PATH_MAX> path{};
};
std::array<Entry, 32> entries;
std::mutex changes;

// The kernel's directory entry: readdir() may allocate.
struct KernelEntry {
  std::uint64_t number;
  std::int64_t offset;
  std::uint16_t size;
  std::uint8_t kind;
  char name[1];
};

void empty_folder(int folder) {
  alignas(KernelEntry) std::array<char, 4096> block;
  while (true) {
    const long got = syscall(SYS_getdents64, folder, block.data(), block.size());
    if (got <= 0) return;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const KernelEntry*>(block.data() + at);
      if (entry->kind != DT_DIR) unlinkat(folder, entry->name, 0);
      at += entry->size;
    }
  }
}

void remove_entry(const char* path) {
  if (unlink(path) == 0 || (errno != EISDIR && errno != EPERM)) return;
  // A child process may still be creating files there.
  for (int tries = 0; tries < 100; ++tries) {
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    empty_folder(folder);
    close(folder);
    if (rmdir(path) == 0 || errno != ENOTEMPTY) return;
  }
}

void end_program(int number) {
  for (const Entry& entry : entries)
    if (entry.used.load()) remove_entry(entry.path.data());
  // SA_RESETHAND has restored the default action, which runs as soon as the handler returns.
  raise(number);
}

}  // namespace

void Unfinished::add(const std::string& path) {
  const std::lock_guard guard(changes);
  for (Entry& entry : entries) {
    if (entry.used.load() || path.size() >= entry.path.size()) continue;
    std::memcpy(entry.path.data(), path.c_str(), path.size() + 1);
    entry.used.store(true);
    return;
  }
}

void Unfinished::remove(const std::string& path) {
  const std::lock_guard guard(changes);
  for (Entry& entry : entries)
    if (entry.used.load() && path == entry.path.data()) return entry.used.store(false);
}

void Unfinished::remove_on_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = end_program;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(number, &action, nullptr);
  }
}

Unfinished& unfinished() {
  static Unfinished list;
  return list;
}

}  // namespace gcan::files
