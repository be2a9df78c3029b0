// gcan reproduce: the paper's experiments, one subcommand each.

#include "gcan/cli/options/reproduce.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "gcan/cli/frame/usage.h"
#include "gcan/cli/frame/values.h"
#include "gcan/experiments/experiment.h"

namespace gcan::cli {
namespace {

using namespace experiments;

void add_choices(CLI::App& command, const Experiment& experiment, ReproduceArguments& a) {
  std::vector<std::string> names;
  for (const Row& row : experiment.rows) names.push_back(row.model);
  command.add_option("--budget", a.budget, experiment.budgets_help)->type_name("NAME");
  command
      .add_option("--models", a.models,
                  fmt::format("Networks to train, of {}; default: all", fmt::join(names, ", ")))
      ->delimiter(',')
      ->type_name("A,B");
  command
      .add_option("--trajectories", a.trajectories,
                  fmt::format("Numbers of training trajectories; default: {}; with the budget laptop {}",
                              fmt::join(experiment.sizes, ","),
                              fmt::join(experiment.trajectories(Budget::laptop), ",")))
      ->delimiter(',')
      ->check(whole_number(1, 1'000'000))
      ->type_name("N,N");
  const std::string& unit = experiment.length_unit;
  command
      .add_option("--" + unit, a.length,
                  fmt::format("Training {} of every network instead of the budget's", unit))
      ->check(whole_number(1, kLongestTraining))
      ->type_name("N");
  command.add_option("--seeds", a.seeds, "Train each network with the seeds 1 to N; default: 1")
      ->check(whole_number(1, kMostSeeds))
      ->type_name("N");
  if (experiment.batch > 0) {
    command
        .add_option("--batch", a.batch,
                    fmt::format("Examples in each training step; default: {}", experiment.batch))
        ->check(whole_number(1, kLargestBatch))
        ->type_name("N");
  }
  command
      .add_option("--learning-rate", a.learning_rate,
                  "Largest learning rate of every network instead of the one chosen for it")
      ->type_name("NUMBER");
  if (!experiment.protocols_help.empty())
    command.add_option("--protocol", a.protocol, experiment.protocols_help)->type_name("NAME");
}

void add_one(CLI::App& reproduce, Context& context, const Experiment& experiment) {
  const auto a = std::make_shared<ReproduceArguments>();
  a->experiment = experiment.name;
  const std::string about = experiment.about.substr(0, experiment.about.find_last_not_of('.') + 1);
  CLI::App* command = reproduce.add_subcommand(experiment.name, about);
  add_choices(*command, experiment, *a);
  command
      ->add_option("--jobs", a->jobs,
                   "Parallel runs, with --threads threads each; default: one run per core, with one thread")
      ->check(whole_number(1, 1024))
      ->type_name("N");
  command
      ->add_option(
          "--out", a->out,
          fmt::format("Folder for data, runs, results and report; default: reproduce/{}", experiment.name))
      ->type_name("FOLDER");
  command->add_flag("--list", a->list, "Print the numbered runs of the table and exit");
  command
      ->add_option("--cells", a->cells,
                   "Run only the I-th of N parts of the table, for array jobs; 0/N: only simulate the data")
      ->type_name("I/N");
  add_device(*command, a->device);
  const auto gca = std::find_if(experiment.rows.begin(), experiment.rows.end(),
                                [](const Row& row) { return row.model.starts_with("gca-"); });
  command->footer(fmt::format(
      "Finished runs are kept and unfinished runs are resumed: stop and restart it at any time.\n"
      "The table shows every finished run in the folder with the same {3}, {4}rate.\n\nExamples:\n"
      "  gcan reproduce {0} --budget laptop\n"
      "  gcan reproduce {0} --budget paper --models {1},{2} --trajectories {5}",
      experiment.name, experiment.rows.front().model, gca->model, experiment.length_unit,
      experiment.batch > 0 ? "batch, protocol and " : "budget and ", experiment.sizes.at(1)));
  command->callback([&context, a] { context.work = [&context, a] { run_reproduce(*a, context); }; });
}

void add_runtimes(CLI::App& reproduce, Context& context) {
  const auto arguments = std::make_shared<RuntimesArguments>();
  CLI::App* command = reproduce.add_subcommand(
      "runtimes",
      "The paper's runtime table: forward, backward, parameters and memory of all fluid networks");
  command->add_option("--grid", arguments->grid, "Rows x columns, multiples of 8; default: 96x192")
      ->type_name("ROWSxCOLUMNS");
  command->add_option("--batch", arguments->options.batch, "Samples per step; default: 1")
      ->check(whole_number(1, 4096))
      ->type_name("N");
  command->add_option("--rounds", arguments->options.rounds, "Timed steps per network; default: 5")
      ->check(whole_number(1, 1000))
      ->type_name("N");
  command->add_flag("!--no-memory", arguments->options.memory, "Do not measure memory");
  add_device(*command, arguments->options.device);
  command->footer("Example:\n  gcan reproduce runtimes --grid 96x192 --batch 1");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run_runtimes(*arguments, context); }; });
}

}  // namespace

void add_reproduce(CLI::App& program, Context& context) {
  CLI::App* command =
      program.add_subcommand("reproduce", "Run an experiment of the paper and compare the results");
  for (const auto& experiment : all_experiments()) add_one(*command, context, *experiment);
  add_runtimes(*command, context);
  command->footer(
      "Examples:\n"
      "  gcan reproduce tetris-mlp --budget laptop\n"
      "  gcan reproduce shallow-water-resnet --budget laptop\n"
      "  gcan reproduce tetris-mlp --help");
  command->callback([command] {
    if (command->get_subcommands().empty()) {
      throw UsageError(
          "missing experiment, as in 'gcan reproduce tetris-mlp'; 'gcan reproduce --help' lists all");
    }
  });
}

}  // namespace gcan::cli
