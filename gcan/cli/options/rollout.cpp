#include "gcan/cli/options/rollout.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "gcan/cli/frame/values.h"

namespace gcan::cli {

void add_rollout(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<RolloutArguments>();
  CLI::App* command =
      program.add_subcommand("rollout", "Draw what a trained network predicts: a motion, or fields");
  command->add_option("RUN", arguments->run, "Run folder");
  command
      ->add_option("--out", arguments->out, "Picture to write: .gif moves, .png, .svg and .pdf stand still")
      ->type_name("FILE");
  command->add_option("--split", arguments->split, "train, valid or test; default: test")->type_name("NAME");
  command->add_option("--index", arguments->index, "Which trajectory, counted from 0; default: 0")
      ->check(whole_number(0, 1'000'000'000))
      ->type_name("N");
  command->add_option("--checkpoint", arguments->checkpoint, "last or best; default: best")
      ->type_name("NAME");
  command->add_option("--data", arguments->data, "Another data file than the run's, or where that lies now")
      ->type_name("FILE");
  command->add_option("--start", arguments->start, "Fluids: the first frame given; default: 0")
      ->check(whole_number(0, 1'000'000'000))
      ->type_name("N");
  command->add_option("--steps", arguments->steps, "Fluids: frames to predict; default: as many as there are")
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N");
  command
      ->add_option("--field", arguments->fields,
                   "Fluids: what to draw, fields or components, as in eta,u; default: all fields")
      ->type_name("NAMES");
  command->footer(
      "Of fluids the picture shows input, target, prediction and difference; every frame is predicted from "
      "the\n"
      "network's own frames before.\n\nExamples:\n"
      "  gcan rollout runs/gca-mlp --out motion.gif\n"
      "  gcan rollout runs/gca-mlp --split test --index 3 --out motion.png\n"
      "  gcan rollout runs/gca-unet --start 4 --steps 20 --field eta --out eta.pdf");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run_rollout(*arguments, context); }; });
}

}  // namespace gcan::cli
