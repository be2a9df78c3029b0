// gcan reproduce: runs the experiments of the paper's tables and compares the results.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "gcan/base/cpu.h"
#include "gcan/cli/frame/interrupt.h"
#include "gcan/cli/frame/program.h"
#include "gcan/cli/frame/progress.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/cli/options/reproduce.h"
#include "gcan/data/file_check.h"
#include "gcan/experiments/experiment_report.h"
#include "gcan/experiments/runner.h"
#include "gcan/files/durable.h"
#include "gcan/files/output_lock.h"
#include "gcan/train/device.h"

namespace gcan::cli {
namespace {

using namespace experiments;
namespace fs = std::filesystem;

// Errors about the arguments are usage errors, wherever they are detected.
Plan plan_of(const ReproduceArguments& a) {
  try {
    const Experiment& experiment = find_experiment(a.experiment);
    Plan plan(experiment, experiment.budget_named(a.budget));
    if (!a.models.empty()) plan.choose_models(a.models);
    if (!a.trajectories.empty()) plan.choose_trajectories(a.trajectories);
    if (a.protocol == "both") {
      plan.choose_protocols(plan.experiment.protocols);
    } else if (!a.protocol.empty()) {
      plan.choose_protocols({a.protocol});
    }
    plan.length = a.length;
    plan.seeds = a.seeds;
    if (a.batch > 0) plan.batch = a.batch;
    if (a.learning_rate) plan.choose_learning_rate(*a.learning_rate);
    return plan;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

// The part of a table that --cells selects: every N-th run, beginning with the I-th. By default all.
struct CellsPart {
  int number = 0, parts = 0;

  [[nodiscard]] bool all() const { return parts == 0; }

  [[nodiscard]] std::vector<Cell> of(const std::vector<Cell>& cells) const {
    if (all()) return cells;
    std::vector<Cell> chosen;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (static_cast<int>(i) % parts == number - 1) chosen.push_back(cells[i]);
    }
    return chosen;
  }
};

CellsPart part_named(const std::string& text) {
  CellsPart part;
  if (text.empty()) return part;
  char slash = 0;
  std::istringstream words(text);
  words >> part.number >> slash >> part.parts;
  if (words && words.peek() == EOF && slash == '/' && part.parts > 0 && part.number >= 0 &&
      part.number <= part.parts) {
    return part;
  }
  throw UsageError(fmt::format("--cells expects I/N with I from 0 to N, as in 3/8, not '{}'", text));
}

void print_cells(const std::vector<Cell>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    fmt::print("{:>4}  {}  {} steps  {}\n", i + 1, cells[i].name, cells[i].steps, cells[i].label);
  }
}

// The command line.
std::string command_of(const ReproduceArguments& a) {
  std::string text = fmt::format("gcan reproduce {} --budget {}", a.experiment, a.budget);
  if (!a.models.empty()) text += fmt::format(" --models {}", fmt::join(a.models, ","));
  if (!a.trajectories.empty()) text += fmt::format(" --trajectories {}", fmt::join(a.trajectories, ","));
  if (!a.protocol.empty()) text += " --protocol " + a.protocol;
  if (a.length > 0) text += fmt::format(" --{} {}", find_experiment(a.experiment).length_unit, a.length);
  if (a.seeds > 1) text += fmt::format(" --seeds {}", a.seeds);
  if (a.batch > 0) text += fmt::format(" --batch {}", a.batch);
  if (a.learning_rate) text += fmt::format(" --learning-rate {:g}", *a.learning_rate);
  if (!a.cells.empty()) text += " --cells " + a.cells;
  if (a.device != "auto") text += " --device " + a.device;
  return text + " --out " + a.out;
}

RunnerOptions runner_options(const ReproduceArguments& a, std::optional<int> threads) {
  RunnerOptions options;
  options.folder = a.out;
  options.threads = threads.value_or(1);
  options.jobs = a.jobs > 0 ? a.jobs : std::max(1, base::cores().usable() / options.threads);
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  options.command = [self, device = a.device](const std::string& config, const std::string& run) {
    std::vector<std::string> words{self, "train", config, "--out", run, "--device", device};
    if (!data::verification()) words.emplace_back("--no-verify");
    return words;
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

void report_results(const Plan& plan, const Results& results, const ReproduceArguments& a) {
  if (results.cells.empty()) return;
  for (const report::Table& table : tables_of(plan, results)) fmt::print("{}\n", to_text(table));
  const std::string folder = (fs::path(a.out) / "report").string(), page = folder + "/index.html";
  const bool is_new = write_results(plan, results, a.out, command_of(a));
  if (is_new) fs::remove(page);  // it shows older results
  if (!fs::exists(page)) {
    files::make_folder(folder);
    const files::OutputLock lock((fs::path(folder) / "").string());  // 'gcan report' may write there as well
    write_experiment_report(plan, results, folder, command_of(a));
  }
  fmt::print("{} {}/results.md, results.json and {}\n", is_new ? "wrote" : "up to date:", a.out, page);
}

}  // namespace

void run_reproduce(const ReproduceArguments& given, const Context& context) {
  ReproduceArguments a = given;
  if (a.out.empty()) a.out = (fs::path("reproduce") / a.experiment).string();
  Plan plan = plan_of(a);
  RunnerOptions options = runner_options(a, context.threads);
  if (a.list) return print_cells(plan.cells());
  std::ignore = train::device_named(a.device);  // a mistake is told before anything is made
  const CellsPart part = part_named(a.cells);
  files::make_folder(a.out);
  // Several parts of a table may run in one folder at the same time; data and runs have their own locks.
  std::optional<files::OutputLock> lock;
  if (part.all()) lock.emplace((fs::path(a.out) / "").string());
  options.settings = {"data.file=" + simulate(plan, a.out, options.threads * options.jobs)};
  if (!part.all() && part.number == 0) return;
  const std::vector<Cell> cells = part.of(plan.cells());
  const auto count = cells.size();
  fmt::print(stderr, "{}: {} run{}, {} at a time with {} thread{}, into {}\n", a.experiment, count,
             count == 1 ? "" : "s", options.jobs, options.threads, options.threads == 1 ? "" : "s", a.out);
  const RunnerOutcome outcome = train_cells(cells, options);
  if (outcome.stopped) {
    throw Interrupted(fmt::format("stopped and saved; resume with '{}'", command_of(a)), Interrupt::signal());
  }
  if (part.all()) {
    set_threads(options.threads * options.jobs);
    report_results(plan, collect(plan, a.out), a);
  }
  if (outcome.failures.empty()) return;
  const auto& [cell, sentence] = outcome.failures.front();
  throw Error(fmt::format("{} of {} runs failed; the first was {}: {}", outcome.failures.size(), count,
                          cell.name, sentence));
}

}  // namespace gcan::cli
