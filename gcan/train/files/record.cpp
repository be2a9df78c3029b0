#include "gcan/train/files/record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gcan/base/cpu.h"
#include "gcan/kernels/simd_level.h"
#include "gcan/nn/capability.h"
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

}  // namespace

Json run_record(const Config& config, const Task& task, std::int64_t parameters, const RunsOn& on) {
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
          {"device", on.device.str()},
          {"processes", on.processes},
          {"backend", distributed::to_string(on.backend)},
          {"seed", config.train.integer("seed")},
          {"network", {{"name", config.model_name}, {"title", config.network().title}}},
          {"parameters", parameters},
          {"data", data}};
}

}  // namespace gcan::train
