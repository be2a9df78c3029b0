#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gcan/train/run.h"

namespace gcan::train {

// run.json: what a run that starts now runs on and with.
nlohmann::ordered_json run_record(const Config& config, const Task& task, std::int64_t parameters);

// result.json. Error for a file of another form.
nlohmann::ordered_json to_json(const Result& result);
Result result_from(const nlohmann::ordered_json& json);

}  // namespace gcan::train
