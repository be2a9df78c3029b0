#include "gcan/cli/frame/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace gcan::cli {
namespace {

volatile std::sig_atomic_t came = 0;

void note(int number) { came = number; }

void on_both(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  came = 0;
  on_both(note);
}

Interrupt::~Interrupt() { on_both(SIG_DFL); }

int Interrupt::signal() { return came; }

}  // namespace gcan::cli
