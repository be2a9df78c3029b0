#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gcan/train/files/result_json.h"
#include "gcan/train/run.h"

namespace gcan::train {

// run.json: what a run that starts now runs on and with.
nlohmann::ordered_json run_record(const Config& config, const Task& task, std::int64_t parameters,
                                  int processes = 1);

}  // namespace gcan::train
