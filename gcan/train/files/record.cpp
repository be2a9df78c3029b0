#include "gcan/train/files/record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gcan/base/cpu.h"
#include "gcan/base/error.h"
#include "gcan/kernels/simd_level.h"
#include "gcan/nn/capability.h"
#include "gcan/train/files/metrics_log.h"
#include "gcan/version.h"

namespace gcan::train {
namespace {

using Json = nlohmann::ordered_json;

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

Json to_json(const config::Value& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json evaluated(const Evaluated& e) {
  Json json = to_json(e.metrics);
  json["step"] = e.step;
  return json;
}

Evaluated evaluated_from(const Json& json) {
  Json metrics = json;
  metrics.erase("step");
  return {json.at("step"), metrics_from(metrics)};
}

}  // namespace

Json run_record(const Config& config, const Task& task, std::int64_t parameters) {
  Json data;
  for (const auto& [name, value] : task.record()) data[name] = to_json(value);
  const base::Cores cores = base::cores();
  return {{"gcan", {{"version", version()}, {"commit", commit()}, {"compiler", compiler()}}},
          {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
          {"machine",
           {{"host", host_name()},
            {"processor", processor()},
            {"cores", cores.online},
            {"simd", kernels::simd_level()}}},
          {"libtorch", {{"version", TORCH_VERSION}, {"capability", nn::aten_capability()}}},
          {"threads", at::get_num_threads()},
          {"seed", config.train.whole("seed")},
          {"network", {{"name", config.model_name}, {"title", config.network().title}}},
          {"parameters", parameters},
          {"data", data}};
}

Json to_json(const Result& r) {
  Json json{{"steps", r.steps},
            {"seconds", r.seconds},
            {"steps_per_second", r.steps_per_second},
            {"parameters", r.parameters},
            {"test", {{"last", evaluated(r.test_last)}, {"best", evaluated(r.test_best)}}},
            {"valid", {{"last", evaluated(r.valid_last)}, {"best", evaluated(r.valid_best)}}},
            {"trivial", Json::object()}};
  for (const auto& [name, metrics] : r.trivial) json["trivial"][name] = to_json(metrics);
  return json;
}

Result result_from(const Json& json) {
  try {
    Result r;
    r.steps = json.at("steps");
    r.seconds = json.at("seconds");
    r.steps_per_second = json.at("steps_per_second");
    r.parameters = json.at("parameters");
    r.test_last = evaluated_from(json.at("test").at("last"));
    r.test_best = evaluated_from(json.at("test").at("best"));
    r.valid_last = evaluated_from(json.at("valid").at("last"));
    r.valid_best = evaluated_from(json.at("valid").at("best"));
    for (const auto& [name, metrics] : json.at("trivial").items()) {
      r.trivial.emplace_back(name, metrics_from(metrics));
    }
    return r;
  } catch (const nlohmann::json::exception&) {
    throw Error("it is not of the form that this version of gcan writes");
  }
}

}  // namespace gcan::train
