#pragma once

// Progress of long work on stderr: a line that is rewritten on a terminal, or occasional plain lines in a
// log.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace gcan::cli {

class Progress {
 public:
  // `done` of `total` things called `unit` are already complete.
  Progress(std::string unit, std::int64_t total, std::int64_t done);
  ~Progress();  // ends the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step();
  // Updates the count; `more` is called for text after the numbers when a line is printed.
  void move_to(std::int64_t done, const std::function<std::string()>& more = {});
  void note(const std::string& sentence);  // prints a separate line
  // Prints immediately on a terminal, for work whose first piece takes long: "0 of 2 checkpoints; evaluating
  // last".
  void show_now(const std::function<std::string()>& more);

 private:
  using Clock = std::chrono::steady_clock;
  void show(const std::string& more);

  std::string unit_;
  std::int64_t total_, before_, done_;
  bool terminal_, line_open_ = false;
  Clock::time_point start_, shown_;
};

// "1 h 5 min", "3 min 20 s", "12 s".
std::string duration_text(double seconds);

}  // namespace gcan::cli
