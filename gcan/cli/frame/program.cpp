#include "gcan/cli/frame/program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>

#include "gcan/cli/frame/memory.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/files/unfinished.h"

namespace gcan::cli {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;
constexpr int kSignal = 128;

int fail(std::string_view sentence, int code) {
  // Prints only the first line, because torch appends a stack trace. If stderr cannot be written, only the
  // exit code remains.
  std::cerr << "gcan: " << sentence.substr(0, sentence.find('\n')) << '\n';
  return code;
}

// Our messages may quote files and arguments: escapes control characters in them.
std::string shown(std::string_view sentence) {
  std::string text;
  for (const char c : sentence) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      text += "\\n";
    else if (byte < ' ' || byte == 0x7F)
      text += fmt::format("\\x{:02x}", byte);
    else
      text += c;
  }
  return text;
}

// A full disk or a closed file shows only when the output is flushed.
void flush_output() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    throw Error("the output could not be written; is the disk full?");
  }
}

}  // namespace

void prepare_process() {
  // Reads from a closed stdin and writes to a closed stdout still fail; messages to a closed stderr are lost.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
  // HDF5 would fail to create files on file systems without locks; gcan has its own lock.
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
  setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
  files::unfinished().remove_on_signals();
}

int guarded(const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const UsageError& error) {
    return fail(error.what(), kUsage);
  } catch (const Interrupted& end) {
    return fail(end.what(), kSignal + end.signal);
  } catch (const std::bad_alloc&) {
    return fail(memory_sentence(), kFailure);
  } catch (const Error& error) {
    return fail(shown(error.what()), kFailure);
  } catch (const std::exception& error) {
    return fail(sentence_of(error.what()), kFailure);
  }
}

void run_program(int argc, char** argv) {
  Context context;
  context.argv = argv;
  const CommandLine line = parse(argc, argv, context);
  if (line.answer.empty()) {
    context.work();
  } else {
    fmt::print("{}", line.answer);
  }
  flush_output();
}

}  // namespace gcan::cli
