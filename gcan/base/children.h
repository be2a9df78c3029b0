#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace gcan::base {

// Where the folders of PATH have a program of that name; empty if they have none.
std::string find_program(const std::string& name);

// How a child process ended.
struct Ended {
  std::size_t id = 0;  // given by Children::start
  int code = 0;        // of its exit; 128 + n where signal n ended it
};

// Processes that work for this one: it is told of their end, and they get SIGTERM when it ends, however it
// does. They are a process group each, so that Ctrl-C on a terminal reaches this process alone, which
// decides.
//
//   Children children;
//   children.start(0, {"/usr/bin/sleep", "5"}, "sleep.log");
//   while (children.running() > 0)
//     for (const Ended& child : children.wait(0.5)) ...
class Children {
 public:
  Children() = default;
  ~Children();  // ends all that still run and waits for them
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  // Starts command[0], a path, with the other words as arguments; what it prints goes to the log file, or
  // where this process prints when `log` is empty. `environment` ("NAME=value") is added to this process's
  // own. Error when it cannot be started.
  void start(std::size_t id, const std::vector<std::string>& command, const std::string& log,
             const std::vector<std::string>& environment = {});

  // Those that have ended since; waits for so long for one.
  std::vector<Ended> wait(double seconds);

  // A signal to all that run.
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
