#include "gcan/cli/frame/progress.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "gcan/base/human.h"

namespace gcan::cli {
namespace {

constexpr double kTerminalPause = 0.1, kLogPause = 10;  // between two lines [s]

double seconds(std::chrono::steady_clock::duration span) {
  return std::chrono::duration<double>(span).count();
}

// Truncates to the width of the terminal: a wrapped line cannot be rewritten.
std::string fitted(std::string line) {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return line;
  if (line.size() >= size.ws_col) line.resize(size.ws_col - 1U);
  return line;
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole >= 3600) return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
  if (whole >= 60) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} s", whole);
}

Progress::Progress(std::string unit, std::int64_t total, std::int64_t done)
    : unit_(std::move(unit)),
      total_(total),
      before_(done),
      done_(done),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      shown_(start_) {}

Progress::~Progress() {
  if (line_open_) fmt::print(stderr, "\n");
}

void Progress::step() { move_to(done_ + 1); }

void Progress::move_to(std::int64_t done, const std::function<std::string()>& more) {
  done_ = done;
  const double pause = terminal_ ? kTerminalPause : kLogPause;
  if (done_ < total_ && seconds(Clock::now() - shown_) < pause) return;
  shown_ = Clock::now();
  show(more ? more() : "");
}

void Progress::show(const std::string& more) {
  const double spent = seconds(Clock::now() - start_);
  const double rate = static_cast<double>(done_ - before_) / std::max(spent, 1e-9);
  std::string line = fmt::format("{} of {}", base::whole_text(done_), base::counted(total_, unit_));
  if (done_ > before_) line += fmt::format(", {} per second", base::rate_text(rate));
  if (done_ >= total_) {
    line += fmt::format(", {:.1f} s", spent);
  } else if (rate > 0) {
    line += fmt::format(", {} left", duration_text(static_cast<double>(total_ - done_) / rate));
  }
  if (!more.empty()) line += "; " + more;
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", fitted(line));
    line_open_ = true;
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
}

void Progress::show_now(const std::function<std::string()>& more) {
  if (terminal_) show(more());
}

void Progress::note(const std::string& sentence) {
  if (line_open_) fmt::print(stderr, "\r\033[K");
  line_open_ = false;
  fmt::print(stderr, "{}\n", sentence);
}

}  // namespace gcan::cli
