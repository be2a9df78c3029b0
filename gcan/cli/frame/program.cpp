#include "gcan/cli/frame/program.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>

#include "gcan/cli/frame/usage.h"

namespace gcan::cli {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;
constexpr int kSignal = 128;

int fail(std::string_view sentence, int code) {
  // The first line only, because torch appends a stack trace to its messages. If stderr cannot be written
  // either, the exit code has to do.
  std::cerr << "gcan: " << sentence.substr(0, sentence.find('\n')) << '\n';
  return code;
}

// A full disk or a closed file shows only when the last of the output is written.
void flush_output() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    throw Error("the output could not be written; is the disk full?");
  }
}

}  // namespace

int guarded(const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const UsageError& error) {
    return fail(error.what(), kUsage);
  } catch (const Interrupted& end) {
    return fail(end.what(), kSignal + end.signal);
  } catch (const std::bad_alloc&) {
    return fail("there is not enough memory for this", kFailure);
  } catch (const std::exception& error) {
    return fail(error.what(), kFailure);
  }
}

void run_program(int argc, const char* const* argv, const std::vector<Command>& commands,
                 const std::function<void(const Context&)>& print_version) {
  Context context;
  const CommandLine line = parse(argc, argv, commands, context);
  switch (line.request) {
    case Request::kHelp: fmt::print("{}", line.help); break;
    case Request::kVersion: print_version(context); break;
    case Request::kWork: context.work(); break;
  }
  flush_output();
}

}  // namespace gcan::cli
