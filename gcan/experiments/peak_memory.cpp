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

// "VmHWM" (the highest so far) or "VmRSS" (now) of this process, in bytes.
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
  // 5 sets the highest mark back to what is in use now.
  std::ofstream("/proc/self/clear_refs") << "5";
  const double before = memory("VmRSS");
  work();
  return memory("VmHWM") - before;
}

// The child's whole life: a number through the pipe, or a sentence on stderr.
[[noreturn]] void run_child(int pipe_end, const std::function<void()>& prepare,
                            const std::function<void()>& work) {
  int code = 1;
  try {
    const double growth = measured(prepare, work);
    if (write(pipe_end, &growth, sizeof growth) == sizeof growth) code = 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
  }
  // Without the exit handlers of the program, which belong to the parent.
  _exit(code);
}

}  // namespace

double peak_growth(const std::function<void()>& prepare, const std::function<void()>& work) {
  int ends[2];
  if (pipe(ends) != 0) throw Error("no pipe for the process that measures memory.");
  const pid_t child = fork();
  if (child < 0) throw Error("no process to measure memory in.");
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
  if (!got) throw Error("the process that measures memory ended before its time (out of memory?).");
  return growth;
}

}  // namespace gcan::experiments
