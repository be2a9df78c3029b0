#include "gcan/experiments/peak_memory.h"

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <string>

#include "gcan/base/error.h"

namespace gcan::experiments {
namespace {

// "VmHWM" (peak) or "VmRSS" (current) of this process, in bytes.
double memory(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(key + ":", 0) == 0) return 1024 * std::stod(line.substr(key.size() + 1));
  }
  throw Error("/proc/self/status has no " + key + ", which is needed to measure memory.");
}

double measured(const std::function<void()>& prepare, const std::function<void()>& work) {
  prepare();
  malloc_trim(0);
  // 5 resets the peak to the current use.
  std::ofstream("/proc/self/clear_refs") << "5";
  const double before = memory("VmRSS");
  work();
  return memory("VmHWM") - before;
}

// The child process: writes a number to the pipe, or an error to stderr.
[[noreturn]] void run_child(int pipe_end, const std::function<void()>& prepare,
                            const std::function<void()>& work) {
  int code = 1;
  try {
    const double growth = measured(prepare, work);
    if (write(pipe_end, &growth, sizeof growth) == sizeof growth) code = 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
  }
  // Skips the parent's exit handlers.
  _exit(code);
}

}  // namespace

double peak_growth(const std::function<void()>& prepare, const std::function<void()>& work) {
  int ends[2];
  if (pipe(ends) != 0) throw Error("cannot create a pipe to measure memory.");
  const pid_t child = fork();
  if (child < 0) throw Error("cannot start a process to measure memory.");
  if (child == 0) {
    close(ends[0]);
    run_child(ends[1], prepare, work);
  }
  close(ends[1]);
  double growth = 0;
  const bool got = read(ends[0], &growth, sizeof growth) == sizeof growth;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!got) throw Error("the process that measures memory ended early (out of memory?).");
  return growth;
}

}  // namespace gcan::experiments
