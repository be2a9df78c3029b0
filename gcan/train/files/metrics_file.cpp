#include "gcan/train/files/metrics_file.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gcan/base/error.h"
#include "gcan/files/durable.h"
#include "gcan/files/json_text.h"

namespace gcan::train {
namespace {

using Json = nlohmann::ordered_json;

// A line of metrics; none for a line that is still being written, or of another form.
std::optional<Json> line_of(const std::string& text) {
  Json line = files::parse_json(text);
  const auto has = [&](const char* key) { return line.is_object() && line.contains(key); };
  if (!has("kind") || !line["kind"].is_string() || !has("step") || !line["step"].is_number_integer())
    return {};
  return line;
}

std::int64_t step_of(const Json& line) { return line["step"].get<std::int64_t>(); }
bool is_train(const Json& line) { return line["kind"] == "train"; }

double number(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>() : std::nan("");
}

double judged(const Json& line) { return number(line, is_train(line) ? "loss" : "error"); }

[[noreturn]] void fail_without_file(const std::string& run) {
  throw Error(fmt::format("'{}' is not a run folder: it has no metrics.jsonl; 'gcan train' makes one", run));
}

}  // namespace

std::string metrics_path(const std::string& run) {
  return (std::filesystem::path(run) / "metrics.jsonl").string();
}

MetricsLog::MetricsLog(std::string path, std::int64_t last_step) : path_(std::move(path)) {
  const bool exists = std::filesystem::exists(path_);
  files::replace_durably(path_, exists ? lines_until(files::read_whole(path_), last_step) : "");
  file_.open(path_, std::ios::app | std::ios::binary);
}

void MetricsLog::add(const Json& line) {
  file_ << line.dump() << '\n' << std::flush;
  if (!file_) throw Error(fmt::format("'{}' cannot be written; is the disk full?", path_));
}

void MetricsLog::flush() { files::flush_file(path_); }

std::string lines_until(const std::string& text, std::int64_t last_step) {
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::optional<Json> json = line_of(line);
    if (json && step_of(*json) <= last_step) kept.append(line).append("\n");
  }
  return kept;
}

std::vector<Json> read_metrics(const std::string& run) {
  const std::string path = metrics_path(run);
  if (!std::filesystem::exists(path)) fail_without_file(run);
  std::vector<Json> lines;
  std::istringstream text(files::read_whole(path));
  for (std::string line; std::getline(text, line);) {
    std::optional<Json> json = line_of(line);
    if (json) {
      lines.push_back(std::move(*json));
    } else if (!text.eof()) {
      throw Error(
          fmt::format("'{}' is damaged: line {} does not hold a run's metrics", path, lines.size() + 1));
    }
  }
  return lines;
}

LatestMetrics latest_metrics(const std::string& run) {
  constexpr std::streamoff kTail = 4096;  // several lines
  LatestMetrics latest;
  std::ifstream file(metrics_path(run), std::ios::binary | std::ios::ate);
  if (!file) return latest;
  const std::streamoff size = file.tellg();
  file.seekg(size > kTail ? size - kTail : 0);
  std::optional<Json> first;
  for (std::string text; std::getline(file, text);) {
    const std::optional<Json> line = line_of(text);
    if (!line) continue;
    latest.step = step_of(*line);
    (is_train(*line) ? latest.loss : latest.valid) = judged(*line);
    if (!first) first = line;
    const double steps = static_cast<double>(latest.step) - static_cast<double>(step_of(*first));
    const double seconds = number(*line, "seconds") - number(*first, "seconds");
    if (steps > 0 && seconds > 0) latest.steps_per_second = steps / seconds;
  }
  return latest;
}

LearningCurve learning_curve(const std::string& run) {
  std::ifstream file(metrics_path(run), std::ios::binary);
  if (!file) fail_without_file(run);
  LearningCurve curve;
  for (std::string text; std::getline(file, text);) {
    const std::optional<Json> line = line_of(text);
    if (!line) continue;
    const auto step = static_cast<double>(step_of(*line));
    (is_train(*line) ? curve.train_steps : curve.valid_steps).push_back(step);
    (is_train(*line) ? curve.train_errors : curve.valid_errors).push_back(judged(*line));
  }
  return curve;
}

}  // namespace gcan::train
