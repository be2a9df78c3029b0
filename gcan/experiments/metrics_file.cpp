#include "gcan/experiments/metrics_file.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "gcan/base/error.h"

namespace gcan::experiments {
namespace {

using Json = nlohmann::json;

std::string path_of(const std::string& run) {
  return (std::filesystem::path(run) / "metrics.jsonl").string();
}

// What is not finite is written as null.
double number(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>() : std::nan("");
}

// Calls `see` with each whole line. A line that is being written, or the rest of one where reading began in
// its middle, is no JSON and left out.
void each_line(std::istream& file, const std::function<void(bool train, double step, const Json&)>& see) {
  for (std::string text; std::getline(file, text);) {
    const Json line = Json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("step") || !line.contains("kind")) continue;
    see(line["kind"] == "train", number(line, "step"), line);
  }
}

}  // namespace

LatestMetrics latest_metrics(const std::string& run) {
  constexpr std::streamoff kTail = 4096;  // several lines
  LatestMetrics latest;
  std::ifstream file(path_of(run), std::ios::binary | std::ios::ate);
  if (!file) return latest;
  const std::streamoff size = file.tellg();
  file.seekg(size > kTail ? size - kTail : 0);
  double first_step = std::nan(""), first_seconds = 0;
  each_line(file, [&](bool train, double step, const Json& line) {
    constexpr double kMost = 9e15;  // steps that a double can count
    latest.step = step >= 0 && step < kMost ? static_cast<std::int64_t>(step) : 0;
    (train ? latest.loss : latest.valid) = number(line, train ? "loss" : "error");
    const double seconds = number(line, "seconds");
    if (std::isnan(first_step)) first_step = step, first_seconds = seconds;
    if (step > first_step && seconds > first_seconds)
      latest.steps_per_second = (step - first_step) / (seconds - first_seconds);
  });
  return latest;
}

report::LearningCurve learning_curve(const std::string& run, const std::string& name) {
  std::ifstream file(path_of(run), std::ios::binary);
  if (!file) throw Error("'" + run + "' is not a run folder: it has no metrics.jsonl");
  report::LearningCurve curve{
      .name = name, .train_steps = {}, .train_errors = {}, .valid_steps = {}, .valid_errors = {}};
  each_line(file, [&](bool train, double step, const Json& line) {
    (train ? curve.train_steps : curve.valid_steps).push_back(step);
    (train ? curve.train_errors : curve.valid_errors).push_back(number(line, train ? "loss" : "error"));
  });
  return curve;
}

}  // namespace gcan::experiments
