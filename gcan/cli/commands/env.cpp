// gcan env: gcan's environment settings for LibTorch, for use with other programs.

#include <fmt/core.h>

#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/environment.h"

namespace gcan::cli {

void add_env(CLI::App& program, Context& context) {
  CLI::App* command = program.add_subcommand(
      "env", "Print the environment variables that make LibTorch fast on this machine, for a shell");
  command->footer("Example:\n  eval \"$(gcan env)\" && ./my_libtorch_program");
  command->callback([&context] {
    context.work = [] {
      for (const auto& [name, value] : wanted_environment()) fmt::print("export {}='{}'\n", name, value);
    };
  });
}

}  // namespace gcan::cli
