#include "gcan/cli/options/train.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "gcan/cli/frame/values.h"

namespace gcan::cli {

void add_train(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<TrainArguments>();
  CLI::App* command = program.add_subcommand("train", "Train a network from a configuration");
  command->add_option("CONFIG", arguments->config,
                      "Configuration: a file, the name of an installed one, such as tetris/gca-mlp, or "
                      "the folder of a run to resume");
  command->add_option("--set", arguments->settings, "Change a key of the configuration; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--out", arguments->out, "Run folder; default: runs/NAME of the configuration")
      ->type_name("FOLDER");
  command
      ->add_option("--from", arguments->from,
                   "Start from the fitting weights of this run; data, learning rate and steps may differ")
      ->type_name("RUN");
  command
      ->add_option("--checkpoint", arguments->checkpoint, "Checkpoint of --from: last or best; default: best")
      ->type_name("NAME");
  command
      ->add_option("--steps", arguments->steps,
                   "Total number of steps (train.steps); extends an existing run")
      ->type_name("N");
  command->add_flag("--resume", arguments->resume, "Only resume an existing run");
  command
      ->add_option("--processes", arguments->processes,
                   "Train with N processes on this machine, which share each batch")
      ->type_name("N");
  add_device(*command, arguments->device);
  command->footer(
      "A stopped run (Ctrl-C, SIGTERM, even kill -9) resumes bit-for-bit when it is started again.\n"
      "Under torchrun --no_python, mpirun or srun the processes train it together.\n"
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
