#pragma once

// How benchmarks measure and report, in one format for all families that scripts can read.
//
//   gcan::bench::Report report("motor on points, one thread");
//   report.ratio("motor_points_1e6", gcan::bench::interleaved(ours, plain_loop));
//   report.value("motor_product", nanoseconds, "ns");
//
// The destructor prints a readable table, then a line "RATIO row value" or "VALUE row value unit" per row.

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "gcan/base/statistics.h"

namespace gcan::bench {

// Prevents the compiler from removing the computation of a value.
template <typename T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

using base::median;

// Work on one thread is measured in CPU time, which excludes other processes; work on several threads in
// wall-clock time.
enum class Clock { thread, wall };

inline double now(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Seconds per call, as the mean over `calls` calls.
template <typename Work>
double seconds(Work&& work, int calls = 1, Clock clock = Clock::wall) {
  const double start = now(clock);
  for (int i = 0; i < calls; ++i) work();
  return (now(clock) - start) / calls;
}

// The minimum wall-clock time of several calls, for work that takes longer than typical disturbances.
template <typename Work>
double least_seconds(int repeats, Work&& work) {
  double least = seconds(work);
  for (int i = 1; i < repeats; ++i) least = std::min(least, seconds(work));
  return least;
}

// The number of calls in a measurement of about `target` seconds: long compared with the clock's resolution,
// short compared with other activity of the machine.
template <typename Work>
int calls_for(Work&& work, double target = 2e-3, Clock clock = Clock::wall) {
  int calls = 1;
  while (calls < (1 << 28) && seconds(work, calls, clock) * calls < target) calls *= 2;
  return calls;
}

struct Comparison {
  double ours = 0;    // median seconds per call
  double theirs = 0;  // the same for the alternative
  double ratio = 0;   // the median over the rounds of ours / theirs
};

// Measures A, B, A, B, ...: temporary disturbances slow both, so the ratio of neighbours remains valid.
template <typename Ours, typename Theirs>
Comparison interleaved(Ours&& ours, Theirs&& theirs, int rounds = 51, Clock clock = Clock::wall) {
  const int our_calls = calls_for(ours);
  const int their_calls = calls_for(theirs);
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> ratios;
  for (int i = 0; i < rounds; ++i) {
    a.push_back(seconds(ours, our_calls, clock));
    b.push_back(seconds(theirs, their_calls, clock));
    ratios.push_back(a.back() / b.back());
  }
  return {median(a), median(b), median(ratios)};
}

// The median seconds per call of one piece of work.
template <typename Work>
double measure(Work&& work, int rounds = 51, Clock clock = Clock::wall) {
  const int calls = calls_for(work, 2e-3, clock);
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(rounds));
  for (int i = 0; i < rounds; ++i) times.push_back(seconds(work, calls, clock));
  return median(times);
}

// A readable time: three digits and a suitable unit.
inline std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

class Report {
 public:
  explicit Report(std::string title) : title_(std::move(title)) {}
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  ~Report() {
    fmt::print("{}\n  {:<32}{:>12}{:>14}{:>10}\n", title_, "row", "ours", "alternative", "ratio");
    for (const Row& row : rows_) {
      fmt::print("  {:<32}{:>12}{:>14}{:>10}\n", row.name, row.ours, row.theirs, row.ratio);
    }
    for (const Row& row : rows_) fmt::print("{}\n", row.line);
  }

  void ratio(const std::string& row, const Comparison& c) {
    rows_.push_back({row, time_text(c.ours), time_text(c.theirs), fmt::format("{:.3f}", c.ratio),
                     fmt::format("RATIO {} {:.4f}", row, c.ratio)});
  }

  void value(const std::string& row, double value, const std::string& unit) {
    rows_.push_back({row, fmt::format("{:.4g} {}", value, unit), "", "",
                     fmt::format("VALUE {} {:.6g} {}", row, value, unit)});
  }

  // Runs the parts with the given names; by default all.
  using Part = std::pair<const char*, void (*)(Report&)>;
  void parts(const std::vector<std::string>& wanted, const std::vector<Part>& all) {
    for (const auto& [name, run] : all) {
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end()) run(*this);
    }
  }

 private:
  struct Row {
    std::string name, ours, theirs, ratio, line;
  };

  std::string title_;
  std::vector<Row> rows_;
};

}  // namespace gcan::bench
