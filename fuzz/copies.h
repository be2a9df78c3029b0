#pragma once

// For readers that try a file in a copy of the process, which may crash or be refused memory.

#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/time.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <new>

// As in gcan itself: memory that is refused is std::bad_alloc. The sanitizer's own operator would end the
// program.
void* operator new(std::size_t size) {
  if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

// libFuzzer itself uses the sanitizer's.
extern "C" const char* __asan_default_options() { return "alloc_dealloc_mismatch=0"; }

namespace gcan::fuzz {

// A crash in the copy is the copy's alone: neither libFuzzer nor the sanitizer reports it. One that loops
// ends after a fifth of a second of processor time, where gcan waits longer.
inline const int copies_may_crash = pthread_atfork(nullptr, nullptr, [] {
  constexpr itimerval kLongest{{0, 0}, {0, 200'000}};
  std::signal(SIGPROF, SIG_DFL);
  setitimer(ITIMER_PROF, &kLongest, nullptr);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(number, SIG_DFL);
  __sanitizer_set_death_callback(nullptr);
});

}  // namespace gcan::fuzz
