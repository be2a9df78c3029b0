#include "gcan/cli/options/evaluate.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "gcan/cli/frame/values.h"

namespace gcan::cli {

void add_evaluate(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<EvaluateArguments>();
  CLI::App* command = program.add_subcommand("evaluate", "Print the errors of a trained network");
  command->add_option("RUN", arguments->run, "Run folder");
  command->add_option("--checkpoint", arguments->checkpoint, "last or best; default: those the run has")
      ->type_name("NAME");
  command->add_option("--split", arguments->split, "train, valid or test; default: test")->type_name("NAME");
  command
      ->add_option("--data", arguments->data,
                   "Another data file of the same kind, or its parts, such as 'sw-*.h5'")
      ->type_name("FILE");
  command->add_flag("--json", arguments->json, "Print all metrics as JSON");
  add_device(*command, arguments->device);
  command->footer(
      "The data file needs only the chosen split. Another file must have the fields, units, axes and times\n"
      "between frames that the network was trained on.\n\nExamples:\n"
      "  gcan evaluate runs/gca-mlp --checkpoint best\n"
      "  gcan evaluate runs/gca-unet --data other.h5 --split valid --json");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run_evaluate(*arguments, context); }; });
}

}  // namespace gcan::cli
