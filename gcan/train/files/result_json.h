#pragma once

// Metrics and results as JSON, for metrics.jsonl and result.json.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gcan/train/metrics.h"

namespace gcan::train {

// {"error": ..., "by_step": [...], further numbers by name}; non-finite numbers become null.
nlohmann::ordered_json to_json(const Metrics& metrics);
// Error for another format.
Metrics metrics_from(const nlohmann::ordered_json& json);

// result.json. Error for another format.
nlohmann::ordered_json to_json(const Result& result);
Result result_from(const nlohmann::ordered_json& json);

// Error unless it is an integer: JSON would also convert 1e300.
std::int64_t whole_number(const nlohmann::ordered_json& json);

}  // namespace gcan::train
