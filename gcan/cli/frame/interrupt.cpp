#include "gcan/cli/frame/interrupt.h"

#include <array>
#include <csignal>

namespace gcan::cli {
namespace {

volatile std::sig_atomic_t came = 0;

void note(int number) { came = number; }

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kSignals.size()> before;

}  // namespace

Interrupt::Interrupt() {
  came = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    // For nohup.
    if (kSignals[i] == SIGHUP && before[i].sa_handler == SIG_IGN) continue;
    sigaction(kSignals[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

int Interrupt::signal() { return came; }

std::string Interrupt::name() { return came == SIGINT ? "Ctrl-C" : came == SIGHUP ? "SIGHUP" : "SIGTERM"; }

}  // namespace gcan::cli
