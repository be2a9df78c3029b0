#pragma once

// Several concurrent gcan processes, as started by a launcher, each with its own output.

#include <arpa/inet.h>
#include <sys/socket.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/cli/run_program.h"

namespace gcan::test {

inline int free_port() {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  EXPECT_EQ(bind(file, reinterpret_cast<sockaddr*>(&address), length), 0);
  getsockname(file, reinterpret_cast<sockaddr*>(&address), &length);
  close(file);
  return ntohs(address.sin_port);
}

// A program that runs in the background.
class Running {
 public:
  Running(std::vector<std::string> command, const std::vector<std::string>& variables)
      : out_(detail::temporary_file("out")), err_(detail::temporary_file("err")) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out_.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err_.c_str(), O_WRONLY | O_CREAT, 0600);
    auto environment = detail::environment_with(variables);
    EXPECT_EQ(posix_spawn(&process_, command.front().c_str(), &files, nullptr,
                          detail::pointers(command).data(), detail::pointers(environment).data()),
              0);
    posix_spawn_file_actions_destroy(&files);
  }
  ~Running() {
    if (process_ == 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Running(Running&& other) noexcept
      : process_(std::exchange(other.process_, 0)), out_(other.out_), err_(other.err_) {}
  Running(const Running&) = delete;

  void signal(int number) const { kill(process_, number); }

  [[nodiscard]] bool has_ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0;
  }

  // Waits for its end; a program that takes longer fails the test.
  Outcome wait(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    int status = 0;
    while (waitpid(process_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) {
        ADD_FAILURE() << "process " << process_ << " still runs after " << seconds << " s";
        kill(process_, SIGKILL);
        waitpid(process_, &status, 0);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    process_ = 0;
    Outcome outcome;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.err = detail::read_and_remove(err_);
    outcome.out = detail::read_and_remove(out_);
    return outcome;
  }

 private:
  pid_t process_ = 0;
  std::string out_, err_;
};

// The ranks of one gcan; `change` may give each its own arguments.
inline std::vector<Running> start_ranks(int size, const std::vector<std::string>& arguments,
                                        const std::function<std::vector<std::string>(int rank)>& more = {}) {
  const std::string port = "MASTER_PORT=" + std::to_string(free_port());
  std::vector<Running> ranks;
  for (int rank = 0; rank < size; ++rank) {
    std::vector<std::string> command{GCAN_PROGRAM};
    command.insert(command.end(), arguments.begin(), arguments.end());
    if (more) {
      const auto own = more(rank);
      command.insert(command.end(), own.begin(), own.end());
    }
    const std::string count = std::to_string(size), number = std::to_string(rank);
    ranks.emplace_back(
        command, std::vector<std::string>{"RANK=" + number, "LOCAL_RANK=" + number, "WORLD_SIZE=" + count,
                                          "LOCAL_WORLD_SIZE=" + count, "MASTER_ADDR=127.0.0.1", port});
  }
  return ranks;
}

// Waits for a file; false if it does not appear.
inline bool wait_for_file(const std::string& path, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!std::filesystem::exists(path)) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace gcan::test
