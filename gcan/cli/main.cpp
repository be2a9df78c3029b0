// `gcan`: runs the subcommands that need no torch, and hands everything else to `gcan-torch`.

#include <algorithm>
#include <string_view>

#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/environment.h"
#include "gcan/cli/frame/program.h"

int main(int argc, char** argv) {
  using namespace gcan::cli;
  return guarded([&] {
    const auto commands = plain_commands();
    const std::string_view first = argc > 1 ? argv[1] : "";
    const bool plain = std::any_of(commands.begin(), commands.end(),
                                   [&](const Command& command) { return command.name == first; });
    if (!plain) become_torch_program(argv);
    run_program(argc, argv, commands, [&](const Context&) { become_torch_program(argv); });
  });
}
