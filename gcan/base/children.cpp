#include "gcan/base/children.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <system_error>
#include <thread>

#include "gcan/base/error.h"

namespace gcan::base {
namespace {

constexpr int kNotStarted = 127;

std::string reason(int error) { return std::generic_category().message(error); }

// Between fork and exec only async-signal-safe calls are allowed, so everything is prepared before.
struct Start {
  std::vector<char*> words, environment;
  int log, nothing;
  pid_t parent;

  [[noreturn]] void run() const {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    // The parent may have ended before prctl() took effect.
    if (getppid() != parent) _exit(kNotStarted);
    dup2(nothing, STDIN_FILENO);
    if (log >= 0) {
      dup2(log, STDOUT_FILENO);
      dup2(log, STDERR_FILENO);
    }
    execve(words.front(), words.data(), environment.data());
    _exit(kNotStarted);
  }
};

}  // namespace

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing sets it meanwhile
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string program = (folder.empty() ? "." : folder) + "/" + name;
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return "";
}

Children::~Children() {
  signal(SIGTERM);
  while (running() > 0) wait(1);
}

void Children::start(std::size_t id, const std::vector<std::string>& command, const std::string& log,
                     const std::vector<std::string>& environment) {
  if (access(command.front().c_str(), X_OK) != 0) {
    throw Error("cannot start '" + command.front() + "': " + reason(errno));
  }
  std::vector<std::string> words = command, added = environment;
  Start start{{}, {}, -1, -1, getpid()};
  for (std::string& word : words) start.words.push_back(word.data());
  start.words.push_back(nullptr);
  // The first entry of a name wins.
  for (std::string& entry : added) start.environment.push_back(entry.data());
  for (char** entry = environ; *entry != nullptr; ++entry) start.environment.push_back(*entry);
  start.environment.push_back(nullptr);
  if (!log.empty()) start.log = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (!log.empty() && start.log < 0) throw Error("'" + log + "' cannot be written: " + reason(errno));
  start.nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t process = fork();
  if (process == 0) start.run();
  const int problem = errno;
  if (start.log >= 0) close(start.log);
  close(start.nothing);
  if (process < 0) throw Error("cannot start another process: " + reason(problem));
  children_.push_back({id, process});
}

std::vector<Ended> Children::wait(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::vector<Ended> result;
  while (true) {
    std::erase_if(children_, [&](const Child& child) {
      int status = 0;
      if (waitpid(child.process, &status, WNOHANG) != child.process) return false;
      result.push_back({child.id, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)});
      return true;
    });
    if (!result.empty() || children_.empty() || Clock::now() >= end) return result;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void Children::signal(int number) const {
  for (const Child& child : children_) kill(child.process, number);
}

}  // namespace gcan::base
