#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gcan::files {

// Parses the JSON of a file that anyone may have written. Text that is not JSON, or nested more than 64
// levels deep, gives a discarded value: copying and printing a value recurse and could overflow the stack.
nlohmann::ordered_json parse_json(const std::string& text);

}  // namespace gcan::files
