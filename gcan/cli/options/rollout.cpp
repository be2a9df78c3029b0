#include "gcan/cli/options/rollout.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "gcan/cli/frame/values.h"

namespace gcan::cli {

void add_rollout(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<RolloutArguments>();
  CLI::App* command =
      program.add_subcommand("rollout", "Draw the predictions of a trained network: a motion, or fields");
  command->add_option("RUN", arguments->run, "Run folder");
  command->add_option("--out", arguments->out, "File to write: .gif (animation), .png, .svg or .pdf")
      ->type_name("FILE");
  command->add_option("--split", arguments->split, "train, valid or test; default: test")->type_name("NAME");
  command->add_option("--index", arguments->index, "Trajectory, counted from 0; default: 0")
      ->check(whole_number(0, 1'000'000'000))
      ->type_name("N");
  command->add_option("--checkpoint", arguments->checkpoint, "last or best; default: best")
      ->type_name("NAME");
  command
      ->add_option(
          "--data", arguments->data,
          "Another data file, or its parts, such as 'sw-*.h5'; also the run's own file if it was moved")
      ->type_name("FILE");
  command->add_option("--start", arguments->start, "Fluids: the first input frame; default: 0")
      ->check(whole_number(0, 1'000'000'000))
      ->type_name("N");
  command
      ->add_option("--steps", arguments->steps,
                   "Fluids: frames to predict; default: to the end of the trajectory")
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N");
  command
      ->add_option("--field", arguments->fields,
                   "Fluids: fields or components to draw, as in eta,u; default: all fields")
      ->type_name("NAMES");
  add_device(*command, arguments->device);
  command->footer(
      "For fluids the picture shows input, target, prediction and difference; every frame is predicted from "
      "the\n"
      "network's own previous frames.\n\nExamples:\n"
      "  gcan rollout runs/gca-mlp --out motion.gif\n"
      "  gcan rollout runs/gca-mlp --split test --index 3 --out motion.png\n"
      "  gcan rollout runs/gca-unet --start 4 --steps 20 --field eta --out eta.pdf");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run_rollout(*arguments, context); }; });
}

}  // namespace gcan::cli
