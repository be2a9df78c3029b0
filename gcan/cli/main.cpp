#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "gcan/cli/command.h"
#include "gcan/cli/runtime.h"
#include "gcan/cli/usage.h"
#include "gcan/cli/version_text.h"

namespace gcan::cli {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

int fail(std::string_view sentence, int code) {
  // The first line only: torch appends a stack trace to its messages.
  fmt::print(stderr, "gcan: {}\n", sentence.substr(0, sentence.find('\n')));
  return code;
}

// A full disk or a closed pipe shows only when the last of the output is written.
void flush_output() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    throw Error("the output could not be written; is the disk full?");
  }
}

int run(int argc, char** argv) {
  Context context;
  const CommandLine line = parse(argc, argv, context);
  switch (line.request) {
    case Request::kHelp:
      fmt::print("{}", line.help);
      break;
    case Request::kVersion:
      fmt::print("{}", version_text(set_threads(context.threads)));
      break;
    case Request::kWork:
      if (context.computes) restart_with_passive_waiting(argv);
      context.work();
      break;
  }
  flush_output();
  return 0;
}

}  // namespace
}  // namespace gcan::cli

int main(int argc, char** argv) {
  using namespace gcan::cli;
  try {
    prepare_environment();
    return run(argc, argv);
  } catch (const UsageError& error) {
    return fail(error.what(), kUsage);
  } catch (const std::bad_alloc&) {
    return fail("there is not enough memory for this", kFailure);
  } catch (const std::exception& error) {
    return fail(error.what(), kFailure);
  }
}
