#include "gcan/cli/options/export_model.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace gcan::cli {

void add_export_model(CLI::App& program, Context& context) {
  const auto a = std::make_shared<ExportModelArguments>();
  CLI::App* command =
      program.add_subcommand("export-model", "Write a trained network as TorchScript or ONNX");
  command->add_option("RUN", a->run, "Run folder");
  command->add_option("--format", a->format, "torchscript or onnx; default: torchscript")->type_name("NAME");
  command->add_flag("--fold", a->fold, "Fold group actions into plain kernels");
  command->add_option("--checkpoint", a->checkpoint, "last or best; default: best")->type_name("NAME");
  command->add_option("--units", a->units, "data (includes normalisation) or network; default: data")
      ->type_name("NAME");
  command->add_option("--grid", a->grid, "Grid of a fluid network, if its data file is missing")
      ->type_name("HxW");
  command->add_option("--out", a->out, "File to write; default: RUN/model.pt or RUN/model.onnx")
      ->type_name("FILE");
  command->footer("Example:\n  gcan export-model runs/gca-mlp --format onnx --fold --out gca-mlp.onnx");
  command->callback([&context, a] { context.work = [&context, a] { run_export_model(*a, context); }; });
}

void add_tensorboard(CLI::App& program, Context& context) {
  const auto a = std::make_shared<TensorboardArguments>();
  CLI::App* command = program.add_subcommand("tensorboard", "Write the metrics of runs for TensorBoard");
  command->add_option("RUN", a->runs, "Run folders");
  command->footer("Example:\n  gcan tensorboard runs/gca-mlp && tensorboard --logdir runs");
  command->callback([&context, a] { context.work = [&context, a] { run_tensorboard(*a, context); }; });
}

}  // namespace gcan::cli
