#pragma once

// Metrics and results as JSON, as metrics.jsonl and result.json hold them.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gcan/train/metrics.h"

namespace gcan::train {

// {"error": ..., "by_step": [...], further numbers by name}; what is not finite becomes null.
nlohmann::ordered_json to_json(const Metrics& metrics);
// Error for a JSON of another form.
Metrics metrics_from(const nlohmann::ordered_json& json);

// result.json. Error for a file of another form.
nlohmann::ordered_json to_json(const Result& result);
Result result_from(const nlohmann::ordered_json& json);

// Error unless it is a whole number: JSON would make one of 1e300, too.
std::int64_t whole_number(const nlohmann::ordered_json& json);

// The lines of a metrics.jsonl up to and with a step; what is no whole line of a step is left out.
std::string lines_until(const std::string& text, std::int64_t last_step);

}  // namespace gcan::train
