// gcan report: a page with tables and pictures of training runs, or of an experiment.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/experiments/experiment_report.h"
#include "gcan/experiments/run_report.h"

namespace gcan::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> folders;
  std::string out;
};

bool is_experiment(const std::string& folder) { return fs::exists(fs::path(folder) / "results.json"); }

void check(const std::vector<std::string>& folders) {
  if (folders.empty()) throw UsageError("of what? as in 'gcan report runs/gca-mlp'");
  for (const std::string& folder : folders) {
    if (!fs::is_directory(folder)) throw Error(fmt::format("there is no folder '{}'", folder));
    if (is_experiment(folder)) {
      if (folders.size() == 1) continue;
      throw UsageError(
          fmt::format("'{}' is an experiment, which has a report of its own; give it alone", folder));
    }
    if (fs::exists(fs::path(folder) / "config.toml")) continue;
    throw Error(fmt::format(
        "'{}' is neither a run of 'gcan train' nor a finished experiment of 'gcan reproduce'", folder));
  }
}

void run(const Arguments& a, const Context& context) {
  check(a.folders);
  set_threads(context.threads);
  std::string out = a.out;
  if (out.empty()) out = a.folders.size() == 1 ? (fs::path(a.folders.front()) / "report").string() : "report";
  const std::string command =
      fmt::format("gcan report {}{}", fmt::join(a.folders, " "), a.out.empty() ? "" : " --out " + a.out);
  if (!is_experiment(a.folders.front())) {
    fmt::print("wrote {}\n", experiments::write_run_report(a.folders, out, command));
    return;
  }
  auto plan = experiments::read_plan(a.folders.front());
  const auto results = experiments::collect(plan, a.folders.front());
  fmt::print("wrote {}\n", experiments::write_experiment_report(plan, results, out, command));
}

}  // namespace

void add_report(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("report", "Write a page with tables and pictures of runs or an experiment");
  command->add_option("FOLDER", arguments->folders,
                      "Run folders to compare, or the folder of one experiment");
  command
      ->add_option("--out", arguments->out,
                   "Folder for the page and its pictures; default: report in FOLDER, for several runs report")
      ->type_name("FOLDER");
  command->footer(
      "The page is index.html; it needs nothing but the pictures beside it.\n\nExamples:\n"
      "  gcan report runs/gca-mlp\n"
      "  gcan report runs/mlp runs/gca-mlp --out compared\n"
      "  gcan report reproduce/tetris-mlp");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run(*arguments, context); }; });
}

}  // namespace gcan::cli
