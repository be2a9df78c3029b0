#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace gcan::base {

// The path of a program found in PATH; empty if there is none.
std::string find_program(const std::string& name);

// How a child process ended.
struct Ended {
  std::size_t id = 0;  // as given to Children::start
  int code = 0;        // exit code; 128 + n if signal n ended it
};

// Child processes. They get SIGTERM when this process ends in any way. Each is its own process group, so
// Ctrl-C in a terminal reaches only this process.
//
//   Children children;
//   children.start(0, {"/usr/bin/sleep", "5"}, "sleep.log");
//   while (children.running() > 0)
//     for (const Ended& child : children.wait(0.5)) ...
class Children {
 public:
  Children() = default;
  ~Children();  // ends those that still run and waits for them
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  // Starts command[0], a path, with the remaining words as arguments. Output goes to the log file, or to this
  // process's output if `log` is empty. `environment` ("NAME=value") is added to this process's environment.
  // Error if the process cannot be started.
  void start(std::size_t id, const std::vector<std::string>& command, const std::string& log,
             const std::vector<std::string>& environment = {});

  // Those that have ended since the last call; waits up to this long for one.
  std::vector<Ended> wait(double seconds);

  // Sends a signal to all that run.
  void signal(int number) const;

  [[nodiscard]] std::size_t running() const { return children_.size(); }

 private:
  struct Child {
    std::size_t id;
    pid_t process;
  };
  std::vector<Child> children_;
};

}  // namespace gcan::base
