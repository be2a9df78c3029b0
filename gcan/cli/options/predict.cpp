#include "gcan/cli/options/predict.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "gcan/cli/frame/values.h"

namespace gcan::cli {

void add_predict(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<PredictArguments>();
  CLI::App* command =
      program.add_subcommand("predict", "Write a trained network's predictions for a data file");
  command->add_option("RUN", arguments->run, "Run folder");
  command->add_option("FILE", arguments->files,
                      "Data file with the fields that the network was trained on, with any splits, or the "
                      "parts of a set");
  command->add_option("--out", arguments->out, "File to write: .h5 in FILE's layout, or .nc")
      ->type_name("FILE");
  command
      ->add_option("--steps", arguments->steps,
                   "Roll out N steps, also beyond the end of FILE; default: predict each frame from the true "
                   "ones before it")
      ->type_name("N");
  command->add_option("--start", arguments->start, "With --steps: the first input frame; default: 0")
      ->type_name("N");
  command
      ->add_option("--trajectories", arguments->trajectories,
                   "Trajectories of FILE, as in 0,3-5; default: all")
      ->type_name("LIST");
  command->add_option("--split", arguments->split, "train, valid or test; default: all")->type_name("NAME");
  command->add_option("--checkpoint", arguments->checkpoint, "last or best; default: best")
      ->type_name("NAME");
  add_device(*command, arguments->device);
  command->footer(
      "Numbers are in FILE's units. The output records the run, checkpoint and data in 'gcan/options'.\n"
      "The same command resumes after a stop.\n\nExamples:\n"
      "  gcan predict runs/gca-unet sw.h5 --out predicted.h5\n"
      "  gcan predict runs/gca-unet today.h5 --steps 20 --trajectories 0 --out forecast.nc");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run_predict(*arguments, context); }; });
}

}  // namespace gcan::cli
