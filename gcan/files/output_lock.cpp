#include "gcan/files/output_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <span>

#include "gcan/base/error.h"
#include "gcan/files/partial_name.h"
#include "gcan/files/unfinished.h"

namespace gcan::files {
namespace {

std::string host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

struct Writer {
  long process = 0;
  std::string host;
};

Writer writer_in(const std::string& path) {
  Writer writer;
  std::ifstream(path) >> writer.process >> writer.host;
  // The file may be of any content.
  for (char& c : writer.host)
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
  return writer;
}

Error in_use(const std::string& output, const std::string& path, bool by_kernel) {
  const Writer writer = writer_in(path);
  std::string who = "another process";
  if (writer.process > 0) who = fmt::format("process {} on {}", writer.process, writer.host.substr(0, 100));
  return Error(fmt::format("'{}' is being written by {}; wait for it, or choose another output{}", output,
                           who,
                           by_kernel ? "" : fmt::format("; if that process is gone, remove '{}'", path)));
}

bool is_gone(const Writer& writer) {
  return writer.process > 0 && writer.host == host() && kill(static_cast<pid_t>(writer.process), 0) != 0 &&
         errno == ESRCH;
}

std::string lock_of(const std::string& output) {
  return output.ends_with('/') ? output + OutputLock::kNameInFolder : output + ".lock";
}

constexpr int kWaits = 500;
constexpr useconds_t kWaitMicroseconds = 10'000;

// Without file system locks, whoever creates the file has the lock.
void take_by_name(const std::string& output, const std::string& path, const Descriptor& file) {
  struct stat info {};
  if (fstat(file.number(), &info) == 0 && info.st_size == 0) return;
  if (!is_gone(writer_in(path))) throw in_use(output, path, false);
}

}  // namespace

OutputLock::OutputLock(const std::string& output) : path_(lock_of(output)) {
  for (int wait = 0;;) {
    Descriptor file(::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
    if (file.number() < 0)
      throw Error(fmt::format("'{}' cannot be written: its lock '{}' cannot be created: {}", output, path_,
                              reason(errno)));
    if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno == EWOULDBLOCK) {
        // Forks of a killed writer hold the lock until the kernel has ended them as well.
        if (wait++ == kWaits || !is_gone(writer_in(path_))) throw in_use(output, path_, true);
        ::usleep(kWaitMicroseconds);
        continue;
      }
      take_by_name(output, path_, file);
    }
    // The previous writer may have just removed it.
    if (!is_at(file.number(), path_)) continue;
    const std::string text = fmt::format("{} {}\n", getpid(), host());
    if (::ftruncate(file.number(), 0) != 0 || !write_all(file.number(), std::as_bytes(std::span(text)))) {
      const std::string why = reason(errno);
      ::unlink(path_.c_str());
      throw Error(fmt::format("'{}' cannot be written: {}", path_, why));
    }
    file_.emplace(std::move(file));
    unfinished().add(path_);
    return;
  }
}

OutputLock::~OutputLock() {
  ::unlink(path_.c_str());
  unfinished().remove(path_);
}

void remove_leftovers(const std::string& output) {
  const std::string partial = partial_name(output);
  std::error_code ignored;
  if (!std::filesystem::exists(lock_of(output), ignored) && !std::filesystem::exists(partial, ignored))
    return;
  try {
    const OutputLock lock(output);
    std::filesystem::remove(partial, ignored);
  } catch (const Error&) {
    return;  // Another process is writing, or the folder is read-only.
  }
}

}  // namespace gcan::files
