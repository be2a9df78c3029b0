#include "gcan/cli/reproduce_tetris.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcan/cli/interrupt.h"
#include "gcan/cli/program.h"
#include "gcan/cli/progress.h"
#include "gcan/cli/runtime.h"
#include "gcan/cli/usage.h"
#include "gcan/experiments/tetris_report.h"
#include "gcan/experiments/tetris_runner.h"
#include "gcan/kernels/cpu.h"

namespace gcan::cli {
namespace {

using namespace experiments;
namespace fs = std::filesystem;

struct Arguments {
  std::string experiment;
  std::string budget = "laptop", protocol = "ours", out;
  std::vector<std::string> models;
  std::vector<std::int64_t> trajectories;
  std::int64_t steps = 0, seeds = 1;
  int jobs = 0;
};

// A wrong name or number in the arguments is the user's mistake, wherever it is found.
TetrisPlan plan_of(const Arguments& a) {
  try {
    TetrisPlan plan(find_tetris_experiment(a.experiment), budget_named(a.budget));
    if (!a.models.empty()) plan.choose_models(a.models);
    if (!a.trajectories.empty()) plan.choose_trajectories(a.trajectories);
    if (a.protocol == "both") {
      plan.protocols = {Protocol::paper, Protocol::ours};
    } else {
      plan.protocols = {protocol_named(a.protocol)};
    }
    plan.steps = a.steps;
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
  if (a.protocol != "ours") text += " --protocol " + a.protocol;
  if (a.steps > 0) text += fmt::format(" --steps {}", a.steps);
  if (a.seeds > 1) text += fmt::format(" --seeds {}", a.seeds);
  return text + " --out " + a.out;
}

RunnerOptions runner_options(const Arguments& a, std::optional<int> threads) {
  RunnerOptions options;
  options.folder = a.out;
  options.threads = threads.value_or(1);
  options.jobs = a.jobs > 0 ? a.jobs : std::max(1, kernels::cores().usable() / options.threads);
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  options.command = [self](const std::string& config, const std::string& run) {
    return std::vector<std::string>{self, "train", config, "--out", run};
  };
  return options;
}

std::string at_work(const TetrisPlan& plan, const std::vector<CellProgress>& running) {
  std::vector<std::string> texts;
  for (const CellProgress& p : running) {
    std::string text = fmt::format("{} {}: {} %", plan.experiment.row(p.cell.model).title,
                                   p.cell.trajectories, 100 * p.step / p.cell.steps);
    if (p.valid) text += fmt::format(", validation {:.3g}", *p.valid);
    texts.push_back(text);
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

RunnerOutcome train_cells(const TetrisPlan& plan, const std::string& data, const RunnerOptions& options) {
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
    if (!running.empty() && done != shown) progress->move_to(done, [&] { return at_work(plan, running); });
    shown = done;
  };
  observer.stop = [] { return Interrupt::signal() != 0; };
  return run_cells(plan, data, options, observer);
}

void report_results(const TetrisPlan& plan, const TetrisResults& results, const Arguments& a) {
  if (results.cells.empty()) return;
  fmt::print("{}\n{}\n", to_text(error_table(plan, results)), to_text(run_table(plan, results)));
  const std::string folder = (fs::path(a.out) / "report").string(), page = folder + "/index.html";
  const bool is_new = write_results(plan, results, a.out, command_of(a));
  if (is_new) fs::remove(page);  // it tells of other results
  if (!fs::exists(page)) write_tetris_report(plan, results, folder, command_of(a));
  fmt::print("{} {}/results.md, results.json and {}\n", is_new ? "wrote" : "there already:", a.out, page);
}

void run(const Arguments& given, std::optional<int> threads) {
  Arguments a = given;
  if (a.out.empty()) a.out = (fs::path("reproduce") / a.experiment).string();
  TetrisPlan plan = plan_of(a);
  const RunnerOptions options = runner_options(a, threads);
  const std::string data = prepare_data(plan, a.out, options.threads * options.jobs);
  const auto count = plan.cells().size();
  fmt::print(stderr, "{}: {} run{}, {} at a time with {} thread{}, into {}\n", a.experiment, count,
             count == 1 ? "" : "s", options.jobs, options.threads, options.threads == 1 ? "" : "s", a.out);
  const RunnerOutcome outcome = train_cells(plan, data, options);
  if (outcome.stopped) {
    throw Interrupted(fmt::format("stopped and saved; go on with '{}'", command_of(a)), Interrupt::signal());
  }
  set_threads(options.threads * options.jobs);
  const TetrisResults results = collect(plan, a.out);
  report_results(plan, results, a);
  if (outcome.failures.empty()) return;
  const auto& [cell, sentence] = outcome.failures.front();
  throw Error(fmt::format("{} of {} runs failed, first {}: {}", outcome.failures.size(), count, cell.name(),
                          sentence));
}

void add_one(CLI::App& reproduce, Context& context, const TetrisExperiment& experiment) {
  const auto a = std::make_shared<Arguments>();
  a->experiment = experiment.name;
  std::vector<std::string> names;
  for (const TetrisRow& row : experiment.rows) names.push_back(row.model);
  CLI::App* command = reproduce.add_subcommand(experiment.name, experiment.title + ": " + experiment.about);
  command
      ->add_option(
          "--budget", a->budget,
          "smoke (seconds), laptop (about half an hour on two cores; default) or paper (131072 steps)")
      ->type_name("NAME");
  command->add_option("--models", a->models, fmt::format("Of {}; default: all", fmt::join(names, ", ")))
      ->delimiter(',')
      ->type_name("A,B");
  command
      ->add_option("--trajectories", a->trajectories,
                   fmt::format("Training trajectories; default: 256,1024,4096,16384, of the budget laptop {}",
                               fmt::join(experiment.laptop_trajectories, ",")))
      ->delimiter(',')
      ->type_name("N,N");
  command->add_option("--steps", a->steps, "Training steps of every network instead of the budget's")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
      ->type_name("N");
  command->add_option("--seeds", a->seeds, "Runs of each network, with seeds 1 to N; default: 1")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{32}))
      ->type_name("N");
  command
      ->add_option("--protocol", a->protocol,
                   "ours (warm-up and cosine from 3e-3; default), paper (1e-3 constant) or both")
      ->type_name("NAME");
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
  const auto gca = std::find_if(names.begin(), names.end(),
                                [](const std::string& name) { return name.starts_with("gca-"); });
  const std::string example = fmt::format("{},{}", names.front(), *gca);
  command->footer(
      fmt::format("Finished runs are kept and unfinished ones gone on with: stop it at any time and start it "
                  "again. The table\n"
                  "shows every finished run in the folder with the same steps and protocol.\n\nExamples:\n"
                  "  gcan reproduce {0} --budget laptop\n"
                  "  gcan reproduce {0} --budget paper --models {1} --trajectories 1024 --protocol both",
                  experiment.name, example));
  command->callback([&context, a] { context.work = [&context, a] { run(*a, context.threads); }; });
}

}  // namespace

void add_tetris_experiments(CLI::App& reproduce, Context& context) {
  for (const TetrisExperiment& experiment : tetris_experiments()) add_one(reproduce, context, experiment);
}

}  // namespace gcan::cli
