#include "gcan/experiments/peak_memory.h"

#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "gcan/base/error.h"
#include "gcan/base/memory.h"

namespace gcan::experiments {
namespace {

// The child process: writes a number to the pipe, or an error to stderr.
[[noreturn]] void run_child(int pipe_end, const std::function<void()>& prepare,
                            const std::function<void()>& work) {
  int code = 1;
  try {
    prepare();
    const double growth = base::peak_growth_here(work);
    if (growth == 0) throw Error("the system does not report the peak memory of a process");
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
  if (pipe(ends) != 0) throw Error("cannot create a pipe to measure memory");
  const pid_t child = fork();
  if (child < 0) throw Error("cannot start a process to measure memory");
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
  if (!got) throw Error("the process that measures memory ended early (out of memory?)");
  return growth;
}

}  // namespace gcan::experiments
