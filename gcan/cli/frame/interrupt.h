#pragma once

// Ctrl-C and SIGTERM as a wish to stop at a good moment, for work that can be gone on with.

namespace gcan::cli {

// While the object lives, the first of these signals is only noted; a second one ends the program at once.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // The number of the signal that came, or 0.
  [[nodiscard]] static int signal();
};

}  // namespace gcan::cli
