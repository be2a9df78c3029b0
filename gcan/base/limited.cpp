#include "gcan/base/limited.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <system_error>

#include "gcan/base/error.h"

namespace gcan::base {
namespace {

enum Code { kDone = 0, kThrew = 1, kNoMemory = 2, kOrphan = 3 };

std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void throw_not_started() {
  throw Error("no other process can be started: " + std::generic_category().message(errno));
}

void lower(__rlimit_resource resource, std::uint64_t value) {
  rlimit limit{};
  getrlimit(resource, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, value);
  setrlimit(resource, &limit);
}

int run(const std::function<void()>& work, const Limits& limits, int answer) {
  lower(RLIMIT_AS, address_space() + limits.bytes);
  lower(RLIMIT_CPU, static_cast<std::uint64_t>(std::ceil(limits.cpu_seconds)));
  lower(RLIMIT_CORE, 0);
  try {
    work();
    return kDone;
  } catch (const std::bad_alloc&) {
    return kNoMemory;
  } catch (const std::exception& error) {
    // Longer text is truncated.
    if (write(answer, error.what(), std::strlen(error.what())) < 0) return kThrew;
    return kThrew;
  }
}

// Reads the fork's output until it ends; false on timeout.
bool listen(int answer, double seconds, std::string& text) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd event{answer, POLLIN, 0};
    const int ready = poll(&event, 1, static_cast<int>(std::min<long>(left, 1000)));
    if (ready <= 0) continue;
    std::array<char, 4096> block;
    const ssize_t got = read(answer, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

LimitedEnd run_limited(const std::function<void()>& work, const Limits& limits) {
  std::array<int, 2> answer{};
  if (pipe2(answer.data(), O_CLOEXEC | O_NONBLOCK) != 0) throw_not_started();
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kOrphan);
    _exit(run(work, limits, answer[1]));
  }
  close(answer[1]);
  if (child < 0) {
    close(answer[0]);
    throw_not_started();
  }
  LimitedEnd end;
  const bool in_time = listen(answer[0], limits.seconds, end.error);
  close(answer[0]);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const bool exited = WIFEXITED(status);
  end.done = exited && WEXITSTATUS(status) == kDone;
  if (exited && WEXITSTATUS(status) == kNoMemory)
    end.problem = "ran out of memory";
  else if (!in_time || (!exited && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)))
    end.problem = "took too long";
  else if (!exited)
    end.problem = "crashed";
  return end;
}

}  // namespace gcan::base
