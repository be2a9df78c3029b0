#include "gcan/cli/commands/reproduce_table.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcan/base/cpu.h"
#include "gcan/cli/frame/interrupt.h"
#include "gcan/cli/frame/program.h"
#include "gcan/cli/frame/progress.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/experiments/experiment_report.h"
#include "gcan/experiments/runner.h"
#include "gcan/files/durable.h"
#include "gcan/files/output_lock.h"

namespace gcan::cli {
namespace {

using namespace experiments;
namespace fs = std::filesystem;

struct Arguments {
  std::string experiment;
  std::string budget = "laptop", protocol, out;
  std::vector<std::string> models;
  std::vector<std::int64_t> trajectories;
  std::int64_t length = 0, seeds = 1;
  int jobs = 0;
};

// A wrong name or number in the arguments is the user's mistake, wherever it is found.
Plan plan_of(const Arguments& a) {
  try {
    Plan plan(find_experiment(a.experiment), budget_named(a.budget));
    if (!a.models.empty()) plan.choose_models(a.models);
    if (!a.trajectories.empty()) plan.choose_trajectories(a.trajectories);
    if (a.protocol == "both") {
      plan.choose_protocols(plan.experiment.protocols);
    } else if (!a.protocol.empty()) {
      plan.choose_protocols({a.protocol});
    }
    plan.length = a.length;
    plan.seeds = a.seeds;
    return plan;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

// As one would type it.
std::string command_of(const Arguments& a) {
  std::string text = fmt::format("gcan reproduce {} --budget {}", a.experiment, a.budget);
  if (!a.models.empty()) text += fmt::format(" --models {}", fmt::join(a.models, ","));
  if (!a.trajectories.empty()) text += fmt::format(" --trajectories {}", fmt::join(a.trajectories, ","));
  if (!a.protocol.empty()) text += " --protocol " + a.protocol;
  if (a.length > 0) text += fmt::format(" --{} {}", find_experiment(a.experiment).length_unit, a.length);
  if (a.seeds > 1) text += fmt::format(" --seeds {}", a.seeds);
  return text + " --out " + a.out;
}

RunnerOptions runner_options(const Arguments& a, std::optional<int> threads) {
  RunnerOptions options;
  options.folder = a.out;
  options.threads = threads.value_or(1);
  options.jobs = a.jobs > 0 ? a.jobs : std::max(1, base::cores().usable() / options.threads);
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  options.command = [self](const std::string& config, const std::string& run) {
    return std::vector<std::string>{self, "train", config, "--out", run};
  };
  return options;
}

std::string at_work(const std::vector<CellProgress>& running) {
  std::vector<std::string> texts;
  for (const CellProgress& p : running) {
    std::string text = fmt::format("{}: {} %", p.cell.label, 100 * p.step / p.cell.steps);
    if (p.valid) text += fmt::format(", validation {:.3g}", *p.valid);
    texts.push_back(text);
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string simulate(const Plan& plan, const std::string& folder, int threads) {
  std::optional<Progress> progress;
  data::Observer observer;
  observer.begin = [&](int total, int before, int /*damaged*/) {
    fmt::print(stderr, "simulating {} trajectories\n", total - before);
    progress.emplace("trajectories", total, before);
  };
  observer.trajectory = [&](const std::string& failure) {
    if (!failure.empty()) progress->note("failed: " + failure);
    progress->step();
  };
  return prepare_data(plan, folder, threads, observer);
}

RunnerOutcome train_cells(const std::vector<Cell>& cells, const RunnerOptions& options) {
  const Interrupt interrupt;
  std::optional<Progress> progress;
  RunnerObserver observer;
  observer.note = [&](const std::string& sentence) {
    if (progress) return progress->note(sentence);
    fmt::print(stderr, "{}\n", sentence);
  };
  std::int64_t shown = -1;
  observer.progress = [&](std::int64_t done, std::int64_t total, const std::vector<CellProgress>& running) {
    if (!progress) progress.emplace("steps", total, done);
    if (!running.empty() && done != shown) progress->move_to(done, [&] { return at_work(running); });
    shown = done;
  };
  observer.stop = [] { return Interrupt::signal() != 0; };
  return run_cells(cells, options, observer);
}

void report_results(const Plan& plan, const Results& results, const Arguments& a) {
  if (results.cells.empty()) return;
  for (const report::Table& table : tables_of(plan, results)) fmt::print("{}\n", to_text(table));
  const std::string folder = (fs::path(a.out) / "report").string(), page = folder + "/index.html";
  const bool is_new = write_results(plan, results, a.out, command_of(a));
  if (is_new) fs::remove(page);  // it tells of other results
  if (!fs::exists(page)) write_experiment_report(plan, results, folder, command_of(a));
  fmt::print("{} {}/results.md, results.json and {}\n", is_new ? "wrote" : "there already:", a.out, page);
}

void run(const Arguments& given, std::optional<int> threads) {
  Arguments a = given;
  if (a.out.empty()) a.out = (fs::path("reproduce") / a.experiment).string();
  Plan plan = plan_of(a);
  RunnerOptions options = runner_options(a, threads);
  files::make_folder(a.out);
  const files::OutputLock lock((fs::path(a.out) / "").string());
  options.settings = {"data.file=" + simulate(plan, a.out, options.threads * options.jobs)};
  const std::vector<Cell> cells = plan.cells();
  const auto count = cells.size();
  fmt::print(stderr, "{}: {} run{}, {} at a time with {} thread{}, into {}\n", a.experiment, count,
             count == 1 ? "" : "s", options.jobs, options.threads, options.threads == 1 ? "" : "s", a.out);
  const RunnerOutcome outcome = train_cells(cells, options);
  if (outcome.stopped) {
    throw Interrupted(fmt::format("stopped and saved; go on with '{}'", command_of(a)), Interrupt::signal());
  }
  set_threads(options.threads * options.jobs);
  const Results results = collect(plan, a.out);
  report_results(plan, results, a);
  if (outcome.failures.empty()) return;
  const auto& [cell, sentence] = outcome.failures.front();
  throw Error(
      fmt::format("{} of {} runs failed, first {}: {}", outcome.failures.size(), count, cell.name, sentence));
}

void add_choices(CLI::App& command, const Experiment& experiment, Arguments& a) {
  std::vector<std::string> names;
  for (const Row& row : experiment.rows) names.push_back(row.model);
  command.add_option("--budget", a.budget, experiment.budgets_help)->type_name("NAME");
  command.add_option("--models", a.models, fmt::format("Of {}; default: all", fmt::join(names, ", ")))
      ->delimiter(',')
      ->type_name("A,B");
  command
      .add_option("--trajectories", a.trajectories,
                  fmt::format("Training trajectories; default: {}, of the budget laptop {}",
                              fmt::join(experiment.sizes, ","),
                              fmt::join(experiment.trajectories(Budget::laptop), ",")))
      ->delimiter(',')
      ->type_name("N,N");
  const std::string& unit = experiment.length_unit;
  command
      .add_option("--" + unit, a.length,
                  fmt::format("Training {} of every network instead of the budget's", unit))
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
      ->type_name("N");
  command.add_option("--seeds", a.seeds, "Runs of each network, with seeds 1 to N; default: 1")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{32}))
      ->type_name("N");
  if (!experiment.protocols_help.empty())
    command.add_option("--protocol", a.protocol, experiment.protocols_help)->type_name("NAME");
}

void add_one(CLI::App& reproduce, Context& context, const Experiment& experiment) {
  const auto a = std::make_shared<Arguments>();
  a->experiment = experiment.name;
  CLI::App* command = reproduce.add_subcommand(experiment.name, experiment.title + ": " + experiment.about);
  add_choices(*command, experiment, *a);
  command
      ->add_option("--jobs", a->jobs,
                   "Runs at a time, with --threads threads each; default: one thread, as many as cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command
      ->add_option(
          "--out", a->out,
          fmt::format("Folder for data, runs, results and report; default: reproduce/{}", experiment.name))
      ->type_name("FOLDER");
  const auto gca = std::find_if(experiment.rows.begin(), experiment.rows.end(),
                                [](const Row& row) { return row.model.starts_with("gca-"); });
  command->footer(
      fmt::format("Finished runs are kept and unfinished ones gone on with: stop it at any time and start it "
                  "again. The table\n"
                  "shows every finished run in the folder with the same {3}{4}.\n\nExamples:\n"
                  "  gcan reproduce {0} --budget laptop\n"
                  "  gcan reproduce {0} --budget paper --models {1},{2} --trajectories {5}",
                  experiment.name, experiment.rows.front().model, gca->model, experiment.length_unit,
                  experiment.protocols_help.empty() ? "" : " and protocol", experiment.sizes.at(1)));
  command->callback([&context, a] { context.work = [&context, a] { run(*a, context.threads); }; });
}

}  // namespace

void add_tables(CLI::App& reproduce, Context& context) {
  for (const auto& experiment : all_experiments()) add_one(reproduce, context, *experiment);
}

}  // namespace gcan::cli
