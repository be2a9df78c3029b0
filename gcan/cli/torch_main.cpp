// `gcan-torch`: all subcommands. Users start it through `gcan`, which sets the environment first.

#include <fmt/core.h>

#include "gcan/cli/commands/version_text.h"
#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/environment.h"
#include "gcan/cli/frame/program.h"
#include "gcan/cli/frame/runtime.h"

int main(int argc, char** argv) {
  using namespace gcan::cli;
  return guarded([&] {
    auto commands = plain_commands();
    const auto more = torch_commands();
    commands.insert(commands.end(), more.begin(), more.end());
    run_program(argc, argv, commands,
                [](const Context& context) { fmt::print("{}", version_text(set_threads(context.threads))); });
  });
}
