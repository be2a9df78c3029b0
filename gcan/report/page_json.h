#pragma once

// JSON for the program of a page. Private to gcan/report, so that its headers need no JSON library.

#include <nlohmann/json.hpp>
#include <string>

namespace gcan::report {

using Json = nlohmann::ordered_json;

// Invalid UTF-8, as in some file names, becomes U+FFFD.
inline std::string page_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gcan::report
