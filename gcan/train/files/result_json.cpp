#include "gcan/train/files/result_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "gcan/base/error.h"

namespace gcan::train {
namespace {

using Json = nlohmann::ordered_json;

Json evaluated(const Evaluated& e) {
  Json json = to_json(e.metrics);
  json["step"] = e.step;
  return json;
}

Evaluated evaluated_from(const Json& json) {
  Json metrics = json;
  metrics.erase("step");
  return {whole_number(json.at("step")), metrics_from(metrics)};
}

}  // namespace

std::int64_t whole_number(const Json& json) {
  if (!json.is_number_integer()) throw Error("it does not have the format of this version of gcan");
  return json.get<std::int64_t>();
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
    throw Error("the metrics do not have the format of this version of gcan");
  }
  return metrics;
}

Json to_json(const Result& r) {
  Json json{{"steps", r.steps},
            {"seconds", r.seconds},
            {"steps_per_second", r.steps_per_second},
            {"parameters", r.parameters},
            {"test", Json()},
            {"valid", {{"last", evaluated(r.valid_last)}, {"best", evaluated(r.valid_best)}}},
            {"trivial", Json::object()}};
  if (r.tested) json["test"] = {{"last", evaluated(r.test_last)}, {"best", evaluated(r.test_best)}};
  for (const auto& [name, metrics] : r.trivial) json["trivial"][name] = to_json(metrics);
  return json;
}

Result result_from(const Json& json) {
  try {
    Result r;
    r.steps = whole_number(json.at("steps"));
    r.seconds = json.at("seconds");
    r.steps_per_second = json.at("steps_per_second");
    r.parameters = whole_number(json.at("parameters"));
    r.valid_last = evaluated_from(json.at("valid").at("last"));
    r.valid_best = evaluated_from(json.at("valid").at("best"));
    r.tested = !json.at("test").is_null();
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    r.test_last = {r.valid_last.step, {kNone}};
    r.test_best = {r.valid_best.step, {kNone}};
    if (r.tested) {
      r.test_last = evaluated_from(json.at("test").at("last"));
      r.test_best = evaluated_from(json.at("test").at("best"));
    }
    for (const auto& [name, metrics] : json.at("trivial").items()) {
      r.trivial.emplace_back(name, metrics_from(metrics));
    }
    return r;
  } catch (const nlohmann::json::exception&) {
    throw Error("it does not have the format of this version of gcan");
  }
}

}  // namespace gcan::train
