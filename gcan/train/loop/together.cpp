#include "gcan/train/loop/together.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <type_traits>

#include "gcan/base/error.h"
#include "gcan/files/checksum.h"
#include "gcan/version.h"

namespace gcan::train {
namespace {

using Json = nlohmann::ordered_json;

// In order of priority for error messages.
Json description(const Config& config, const Task& task, std::int64_t parameters,
                 const torch::Device& device) {
  Json json;
  json["gcan"] = fmt::format("{} (commit {})", version(), commit());
  json["LibTorch"] = TORCH_VERSION;
  for (const auto& [key, value] : deciding_keys(config)) json[key] = value;
  json["train.backend"] = config.train.text("backend");
  for (const auto& [name, value] : task.record()) {
    if (name == "checksum") json["the checksum of the data"] = config::to_string(value);
  }
  json["the number of parameters"] = std::to_string(parameters);
  json["the kind of device"] = torch::Device(device.type()).str();
  return json;
}

}  // namespace

distributed::Backend backend_of(const config::Options& train, const torch::Device& device,
                                const base::Launch& launch) {
  const distributed::Backend backend = distributed::backend_named(train.text("backend"));
  if (launch.size == 1) return backend;
  if (backend == distributed::Backend::nccl && !device.is_cuda()) {
    throw Error(fmt::format("train.backend is nccl, which needs GPUs, but the device is {}; set it to gloo",
                            device.str()));
  }
  if (backend == distributed::Backend::mpi && launch.launcher != "mpirun" && launch.launcher != "srun") {
    throw Error("train.backend is mpi, which needs mpirun to start the processes; set it to gloo");
  }
  return backend;
}

void check_alike(distributed::Group& group, const Config& config, const Task& task, std::int64_t parameters,
                 const torch::Device& device) {
  if (group.alone()) return;
  const std::vector<std::string> all = group.gather(description(config, task, parameters, device).dump());
  const Json first = Json::parse(all[0]);
  for (int rank = 1; rank < group.size(); ++rank) {
    if (all[static_cast<std::size_t>(rank)] == all[0]) continue;
    const Json other = Json::parse(all[static_cast<std::size_t>(rank)]);
    for (const auto& [key, value] : first.items()) {
      const std::string there = other.value(key, "not set");
      if (there == value.get<std::string>()) continue;
      throw Error(fmt::format("the processes do not have the same run: {} is {} on rank 0 but {} on {}", key,
                              value.get<std::string>(), there, group.name_of(rank)));
    }
  }
}

void check_parts(const distributed::Group& group, const Config& config) {
  if (config.train.integer("batch") >= group.size()) return;
  throw Error(fmt::format("train.batch is {}, but {} processes share it; set it to at least that",
                          config.train.integer("batch"), group.size()));
}

void broadcast_state(distributed::Group& group, State& state) {
  static_assert(std::is_trivially_copyable_v<State>);
  const torch::Tensor bytes = torch::empty({static_cast<std::int64_t>(sizeof(State))}, torch::kUInt8);
  std::memcpy(bytes.data_ptr(), &state, sizeof(State));
  group.broadcast(bytes);
  std::memcpy(&state, bytes.data_ptr(), sizeof(State));
}

void broadcast_constants(distributed::Group& group, Task& task) {
  if (group.alone()) return;
  NamedTensors constants;
  for (const auto& [name, tensor] : task.constants()) constants.emplace_back(name, tensor.clone());
  for (const auto& [name, tensor] : constants) group.broadcast(tensor);
  if (!group.first()) task.use_constants(constants);
}

std::string checksum_of(const NamedTensors& tensors) {
  std::uint32_t sum = 0;
  for (const auto& [name, tensor] : tensors) {
    const torch::Tensor bytes = tensor.detach().contiguous().cpu();
    sum = files::crc32({static_cast<const std::byte*>(bytes.data_ptr()), bytes.nbytes()}, sum);
  }
  return fmt::format("{:08x}", sum);
}

}  // namespace gcan::train
