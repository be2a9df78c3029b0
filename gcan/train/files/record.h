#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gcan/distributed/backend.h"
#include "gcan/train/files/result_json.h"
#include "gcan/train/run.h"

namespace gcan::train {

// The number of processes that train, the device of each one's network, and what sends between them.
struct RunsOn {
  int processes = 1;
  torch::Device device = torch::kCPU;
  distributed::Backend backend = distributed::Backend::gloo;
};

// The contents of run.json for a new run.
nlohmann::ordered_json run_record(const Config& config, const Task& task, std::int64_t parameters,
                                  const RunsOn& on = {});

}  // namespace gcan::train
