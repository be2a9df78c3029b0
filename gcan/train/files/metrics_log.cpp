#include "gcan/train/files/metrics_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gcan/base/error.h"
#include "gcan/files/durable.h"

namespace gcan::train {
namespace {

using Json = nlohmann::ordered_json;

// The lines of the text up to a step; a last line that was cut off is left out.
std::string lines_until(const std::string& text, std::int64_t last_step) {
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded() || !json.is_object() || !json.contains("step") || !json["step"].is_number())
      continue;
    if (json["step"].get<std::int64_t>() <= last_step) kept.append(line).append("\n");
  }
  return kept;
}

}  // namespace

MetricsLog::MetricsLog(std::string path, std::int64_t last_step) : path_(std::move(path)) {
  const bool exists = std::filesystem::exists(path_);
  files::replace_durably(path_, exists ? lines_until(files::read_whole(path_), last_step) : "");
  file_.open(path_, std::ios::app | std::ios::binary);
}

void MetricsLog::add(const Json& line) {
  file_ << line.dump() << '\n' << std::flush;
  if (!file_) throw Error(fmt::format("'{}' cannot be written; is the disk full?", path_));
}

void MetricsLog::flush() {
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  const bool flushed = file >= 0 && ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  if (!flushed) throw Error(fmt::format("'{}' cannot be written; is the disk full?", path_));
}

Json to_json(const Metrics& metrics) {
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json json{{"error", number(metrics.error)}, {"by_step", Json::array()}};
  for (const double value : metrics.by_step) json["by_step"].push_back(number(value));
  for (const auto& [name, value] : metrics.more) json[name] = number(value);
  for (const auto& [name, values] : metrics.curves) {
    Json& curve = json["curves"][name] = Json::array();
    for (const double value : values) curve.push_back(number(value));
  }
  return json;
}

Metrics metrics_from(const Json& json) {
  const auto number = [](const Json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
  };
  Metrics metrics;
  try {
    metrics.error = number(json.at("error"));
    for (const Json& value : json.at("by_step")) metrics.by_step.push_back(number(value));
    for (const auto& [name, value] : json.items()) {
      if (name == "error" || name == "by_step" || name == "curves") continue;
      metrics.more.emplace_back(name, number(value));
    }
    if (!json.contains("curves")) return metrics;
    for (const auto& [name, values] : json["curves"].items()) {
      std::vector<double>& curve = metrics.curves.emplace_back(name, std::vector<double>()).second;
      for (const Json& value : values) curve.push_back(number(value));
    }
  } catch (const nlohmann::json::exception&) {
    throw Error("the metrics are not of the form that this version of gcan writes");
  }
  return metrics;
}

}  // namespace gcan::train
