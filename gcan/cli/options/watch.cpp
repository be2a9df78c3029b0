#include "gcan/cli/options/watch.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "gcan/cli/frame/values.h"

namespace gcan::cli {

void add_watch(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<WatchArguments>();
  CLI::App* command = program.add_subcommand("watch", "Show running trainings on a live page");
  command->add_option("FOLDER", arguments->folders,
                      "Run folders, or folders that will contain runs, such as those of 'gcan reproduce'");
  command->add_option("--port", arguments->port, "Port on 127.0.0.1; default: a free one")
      ->check(whole_number(0, 65535))
      ->type_name("N");
  command->footer(
      "The page is only accessible on this machine, to those who know its address.\n\nExamples:\n"
      "  gcan watch runs/gca-mlp\n"
      "  gcan watch reproduce/tetris-mlp --port 8080");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run_watch(*arguments, context); }; });
}

}  // namespace gcan::cli
