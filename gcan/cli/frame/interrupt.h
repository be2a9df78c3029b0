#pragma once

// Turns Ctrl-C, SIGTERM and SIGHUP into requests to stop, for resumable work.

#include <string>

namespace gcan::cli {

// During the object's lifetime the first signal is only recorded; a second one ends the program at once.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // The number of the received signal, or 0.
  [[nodiscard]] static int signal();
  [[nodiscard]] static std::string name();  // its name, for messages
};

}  // namespace gcan::cli
