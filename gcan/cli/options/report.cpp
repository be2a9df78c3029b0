#include "gcan/cli/options/report.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace gcan::cli {

void add_report(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command =
      program.add_subcommand("report", "Write a page with tables and pictures of runs or an experiment");
  command->add_option("FOLDER", arguments->folders,
                      "Run folders to compare, or the folder of one experiment");
  command
      ->add_option("--out", arguments->out,
                   "Folder for the page and its pictures; default: FOLDER/report, or report for several runs")
      ->type_name("FOLDER");
  command->add_option("--data", arguments->data, "The runs' data file, if it was moved")->type_name("FILE");
  command->footer(
      "Runs on different data get separate tables.\n"
      "The page is index.html: interactive views that work offline. Browsers without "
      "scripts\n"
      "show pictures instead.\n\nExamples:\n"
      "  gcan report runs/gca-mlp\n"
      "  gcan report runs/mlp runs/gca-mlp --out compared\n"
      "  gcan report reproduce/tetris-mlp");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run_report(*arguments, context); }; });
}

}  // namespace gcan::cli
