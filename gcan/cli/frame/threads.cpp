#include "gcan/cli/frame/threads.h"

#include <charconv>

#include "gcan/base/cpu.h"
#include "gcan/cli/frame/environment.h"

namespace gcan::cli {
namespace {

std::optional<int> positive_number(const char* name) {
  const std::string text = environment(name).value_or("");
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);  // "4,2" means 4 at the outer level
  return number > 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

Threads choose_threads(std::optional<int> threads) {
  if (threads) return {*threads, "--threads"};
  if (const auto wanted = positive_number("OMP_NUM_THREADS")) return {*wanted, "OMP_NUM_THREADS"};
  return {base::cores().usable(), "every core gcan may run on"};
}

}  // namespace gcan::cli
