#include "gcan/experiments/watched_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "gcan/base/error.h"
#include "gcan/experiments/fluid_prediction.h"
#include "gcan/experiments/run_groups.h"
#include "gcan/experiments/run_sheet.h"
#include "gcan/experiments/tetris_prediction.h"
#include "gcan/report/page_view.h"
#include "gcan/train/files/metrics_file.h"

namespace gcan::experiments {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kDeepest = 3;                  // depth of the search for runs
constexpr std::size_t kMostPoints = 2000;    // of a curve
constexpr std::int64_t kTrajectories = 12;   // of bodies in a picture
constexpr std::int64_t kMostFluidSteps = 8;  // of a picture, which is drawn during training

bool is_run(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "config.toml", ignored);
}

// Hidden folders hold checkpoints.
void find_runs(const fs::path& folder, int depth, std::vector<std::string>& found) {
  if (is_run(folder)) {
    found.push_back(folder.string());
    return;
  }
  if (depth == 0) return;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    std::error_code ignored;
    if (at->is_directory(ignored) && !at->path().filename().string().starts_with("."))
      find_runs(at->path(), depth - 1, found);
  }
}

std::string name_of(const std::string& run) {
  return (fs::path(run) / ".").lexically_normal().parent_path().filename().string();
}

// Changes with every checkpoint; empty before the first.
std::string checkpoint_stamp(const std::string& run) {
  std::error_code problem;
  const fs::path checkpoints = fs::path(run) / "checkpoints";
  const fs::path target = fs::read_symlink(checkpoints, problem);
  if (!problem) return target.string();
  // In a copy of a run it may be a folder instead of a link.
  return fs::exists(checkpoints / "last", problem) ? checkpoints.filename().string() : "";
}

void thin(std::vector<double>& steps, std::vector<double>& errors) {
  const std::size_t count = std::min(steps.size(), errors.size()), stride = count / kMostPoints + 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % stride != 0 && i + 1 != count) continue;
    steps[kept] = steps[i];
    errors[kept++] = errors[i];
  }
  steps.resize(kept);
  errors.resize(kept);
}

Json curve_json(const std::string& run, report::PageData& data) {
  train::LearningCurve curve;
  try {
    curve = train::learning_curve(run);
  } catch (const Error&) {  // there are no metrics yet
  }
  thin(curve.train_steps, curve.train_errors);
  thin(curve.valid_steps, curve.valid_errors);
  return {{"train_steps", data.add(curve.train_steps)},
          {"train_errors", data.add(curve.train_errors)},
          {"valid_steps", data.add(curve.valid_steps)},
          {"valid_errors", data.add(curve.valid_errors)}};
}

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json run_json(const std::string& run, report::PageData& data) {
  const train::LatestMetrics latest = train::latest_metrics(run);
  Json json{{"name", name_of(run)},
            {"folder", run},
            {"step", latest.step},
            {"loss", optional(latest.loss)},
            {"valid", optional(latest.valid)},
            {"steps_per_second", optional(latest.steps_per_second)},
            {"checkpoint", checkpoint_stamp(run)},
            {"finished", fs::exists(fs::path(run) / "result.json")},
            {"curve", curve_json(run, data)}};
  try {
    const train::Config config = train::run_config(run);
    json["title"] = config.network().title;
    json["steps"] = config.train.integer("steps");
  } catch (const Error& problem) {  // it is being written, or damaged
    json["problem"] = problem.what();
  }
  return json;
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string answer(const std::string& key, const std::string& json, const report::PageData& data) {
  return fmt::format(R"({{"blocks":{},"data":"{}","{}":{}}})", data.blocks(), data.base64(), key, json);
}

report::ViewContent picture_of(const std::string& run) {
  const ReportedRun reported{name_of(run), run};
  if (train::run_config(run).data_kind == "tetris") {
    return predicted_bodies({reported}, kTrajectories, train::Checkpoint::last).front();
  }
  FluidPredictionOptions options;
  options.checkpoint = train::Checkpoint::last;
  options.split = shown_split(reported);
  options.most_steps = kMostFluidSteps;
  return predicted_view({run}, options);
}

}  // namespace

WatchedRuns::WatchedRuns(std::vector<std::string> folders) : folders_(std::move(folders)) {
  for (const std::string& folder : folders_) {
    if (!fs::is_directory(folder)) throw Error(fmt::format("there is no folder '{}'", folder));
  }
}

std::vector<std::string> WatchedRuns::runs() const {
  std::vector<std::string> found;
  for (const std::string& folder : folders_) find_runs(folder, kDeepest, found);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string WatchedRuns::state() const {
  report::PageData data;
  Json all = Json::array();
  for (const std::string& run : runs()) all.push_back(run_json(run, data));
  return answer("runs", text_of(all), data);
}

std::string WatchedRuns::sheets() const {
  report::PageData data;
  report::RunsView view;
  for (const std::string& run : runs()) {
    try {
      view.runs.push_back(run_sheet({name_of(run), run}));
    } catch (const Error&) {  // it is being written; the next answer will include it
    }
  }
  const std::string json = view_json(std::move(view), data);
  return answer("view", json, data);
}

std::string WatchedRuns::picture(const std::string& run) {
  const std::vector<std::string> all = runs();
  const std::lock_guard lock(predicting_);
  report::PageData data;
  try {
    if (std::find(all.begin(), all.end(), run) == all.end())
      throw Error(fmt::format("there is no run '{}'", run));
    if (checkpoint_stamp(run).empty()) throw Error("there is no checkpoint yet");
    const std::string json = view_json(picture_of(run), data);
    return answer("view", json, data);
  } catch (const std::exception& problem) {
    return text_of({{"problem", problem.what()}});
  }
}

}  // namespace gcan::experiments
