#include "gcan/cli/options/train.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace gcan::cli {

void add_train(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<TrainArguments>();
  CLI::App* command = program.add_subcommand("train", "Train a network as a configuration file says");
  command->add_option("CONFIG", arguments->config,
                      "Configuration: a file, the name of one that comes with gcan, as tetris/gca-mlp, or "
                      "the folder of a run to go on with");
  command->add_option("--set", arguments->settings, "Change a key of the configuration; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--out", arguments->out, "Run folder; default: runs/ and the configuration's name")
      ->type_name("FOLDER");
  command
      ->add_option(
          "--from", arguments->from,
          "Start from the weights of this run, as far as they fit; data, rate and steps may be others")
      ->type_name("RUN");
  command->add_option("--checkpoint", arguments->checkpoint, "Of --from: last or best; default: best")
      ->type_name("NAME");
  command
      ->add_option("--steps", arguments->steps,
                   "Steps in all, as train.steps; a run that is there goes on to so many")
      ->type_name("N");
  command->add_flag("--resume", arguments->resume, "Only go on with a run that is there");
  command
      ->add_option("--processes", arguments->processes,
                   "Train with so many processes of this machine, which share each batch")
      ->type_name("N");
  command->footer(
      "A run that was stopped (Ctrl-C, SIGTERM, even kill -9) goes on when it is started again, and ends as "
      "if\n"
      "it had not been stopped. Under torchrun --no_python, mpirun or srun the processes train it together.\n"
      "'gcan list' shows networks, data and every key.\n\nExamples:\n"
      "  gcan simulate tetris --train 1024 --valid 1024 --test 1024 --out tetris.h5\n"
      "  gcan train tetris/gca-mlp --set data.file=tetris.h5 --set train.steps=20000\n"
      "  gcan train runs/gca-mlp\n"
      "  gcan train tetris/gca-mlp --processes 4\n"
      "  torchrun --no_python --nproc_per_node 4 gcan train tetris/gca-mlp\n"

      "  gcan train runs/gca-mlp --steps 40000\n"
      "  gcan train --from runs/gca-mlp --set data.file=other.h5 --set train.learning_rate=1e-4 --out "
      "runs/other");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run_train(*arguments, context); }; });
}

}  // namespace gcan::cli
