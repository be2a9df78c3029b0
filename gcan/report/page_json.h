#pragma once

// JSON for the program of a page. Private to gcan/report, so that its headers need no JSON library.

#include <nlohmann/json.hpp>
#include <string>

namespace gcan::report {

using Json = nlohmann::ordered_json;

// Bytes that are not UTF-8, as a file's name may have, become U+FFFD.
inline std::string page_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gcan::report
