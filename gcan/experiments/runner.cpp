#include "gcan/experiments/runner.h"

#include <fmt/format.h>

#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "gcan/base/children.h"
#include "gcan/base/error.h"
#include "gcan/files/durable.h"
#include "gcan/train/config.h"
#include "gcan/train/files/metrics_file.h"
#include "gcan/train/run.h"

namespace gcan::experiments {
namespace {

namespace fs = std::filesystem;

constexpr double kPause = 0.2;  // between two polls of the child processes [s]

std::string in(const std::string& folder, const char* part, const std::string& name) {
  return (fs::path(folder) / part / name).string();
}

// gcan's last message in a log: why it ended.
std::string last_sentence(const std::string& log) {
  constexpr std::string_view kMark = "gcan: ";
  std::ifstream file(log);
  std::string found = fmt::format("it ended without a message, see '{}'", log);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kMark)) found = line.substr(kMark.size());
  }
  return found;
}

// Runs cells in a few processes.
class Runner {
 public:
  Runner(const std::vector<Cell>& cells, const RunnerOptions& options, const RunnerObserver& observer)
      : options_(options), observer_(observer), cells_(cells) {
    for (std::size_t id = 0; id < cells_.size(); ++id) {
      steps_.push_back(steps_done(cells_[id]));
      total_ += cells_[id].steps;
      if (train::read_result(run_folder(options_.folder, cells_[id]))) {
        ++finished_;
      } else {
        waiting_.push_back(id);
      }
    }
  }

  RunnerOutcome run() {
    if (finished_ > 0) note(fmt::format("{} of {} runs are finished already", finished_, cells_.size()));
    for (const char* part : {"configs", "logs", "runs"}) files::make_folder(in(options_.folder, part, ""));
    while (!waiting_.empty() || children_.running() > 0) {
      while (!waiting_.empty() && static_cast<int>(children_.running()) < options_.jobs) start_next();
      for (const base::Ended& child : children_.wait(kPause)) end(child);
      show();
      if (observer_.stop && observer_.stop() && !outcome_.stopped) stop();
    }
    return outcome_;
  }

 private:
  void note(const std::string& sentence) const {
    if (observer_.note) observer_.note(sentence);
  }

  [[nodiscard]] std::int64_t steps_done(const Cell& cell) const {
    return train::latest_metrics(run_folder(options_.folder, cell)).step;
  }

  void start_next() {
    const std::size_t id = waiting_.front();
    waiting_.pop_front();
    const Cell& cell = cells_[id];
    const std::string config = in(options_.folder, "configs", cell.name + ".toml");
    auto settings = cell.settings;
    settings.insert(settings.end(), options_.settings.begin(), options_.settings.end());
    settings.push_back(fmt::format("train.threads={}", options_.threads));
    files::replace_durably(config, train::to_toml(train::make_config(settings)));
    const std::string log = in(options_.folder, "logs", cell.name + ".log");
    fs::remove(log);
    children_.start(id, options_.command(config, run_folder(options_.folder, cell)), log);
    at_work_[id] = log;
  }

  void end(const base::Ended& child) {
    const Cell& cell = cells_[child.id];
    const std::string log = at_work_[child.id];
    at_work_.erase(child.id);
    steps_[child.id] = steps_done(cell);
    if (outcome_.stopped && child.code >= 128) return;
    const auto result =
        child.code == 0 ? train::read_result(run_folder(options_.folder, cell)) : std::nullopt;
    if (!result) {
      outcome_.failures.emplace_back(cell, last_sentence(log));
      return note(fmt::format("failed: {}: {}", cell.label, outcome_.failures.back().second));
    }
    ++finished_;
    note(fmt::format("[{}/{}] {}: test error {:.4g}, best {:.4g}; {} steps, {:.3g} per second", finished_,
                     cells_.size(), cell.label, result->test_last.metrics.error,
                     result->test_best.metrics.error, result->steps, result->steps_per_second));
  }

  void show() {
    if (!observer_.progress) return;
    std::vector<CellProgress> running;
    for (const auto& [id, log] : at_work_) {
      const train::LatestMetrics latest = train::latest_metrics(run_folder(options_.folder, cells_[id]));
      steps_[id] = latest.step;
      running.push_back({cells_[id], latest.step, latest.loss, latest.valid});
    }
    std::int64_t done = 0;
    for (const std::int64_t steps : steps_) done += steps;
    observer_.progress(done, total_, running);
  }

  void stop() {
    outcome_.stopped = true;
    waiting_.clear();
    note("stopping: running trainings are being saved");
    children_.signal(SIGTERM);
  }

  const RunnerOptions& options_;
  const RunnerObserver& observer_;
  const std::vector<Cell>& cells_;
  std::vector<std::int64_t> steps_;  // done, by cell
  std::int64_t total_ = 0;
  std::size_t finished_ = 0;
  std::deque<std::size_t> waiting_;
  std::map<std::size_t, std::string> at_work_;  // with their logs
  RunnerOutcome outcome_;
  base::Children children_;
};

}  // namespace

std::string run_folder(const std::string& folder, const Cell& cell) { return in(folder, "runs", cell.name); }

std::string prepare_data(const Plan& plan, const std::string& folder, int threads,
                         const data::Observer& observer) {
  files::make_folder(folder);
  data::SetOptions options;
  const auto train = static_cast<int>(plan.trajectories.back());
  const int held_out = plan.experiment.held_out(plan.budget);
  options.splits = {train, held_out, held_out};
  const std::string file = fmt::format("{}-{}.h5", plan.experiment.data_name(plan.budget), train);
  options.out = fs::absolute(fs::path(folder) / file).string();
  options.threads = threads;
  plan.experiment.simulate(plan.budget, options, observer);
  return options.out;
}

RunnerOutcome run_cells(const std::vector<Cell>& cells, const RunnerOptions& options,
                        const RunnerObserver& observer) {
  return Runner(cells, options, observer).run();
}

}  // namespace gcan::experiments
