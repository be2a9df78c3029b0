#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gcan/experiments/experiment.h"

namespace gcan::experiments {

// The plan of an experiment as results.json holds it.
nlohmann::ordered_json to_json(const Plan& plan);

// The plan in the text of a results.json. Error that names the file if it is damaged or holds numbers that
// 'gcan reproduce' does not accept.
Plan parse_plan(const std::string& text, const std::string& file);

}  // namespace gcan::experiments
