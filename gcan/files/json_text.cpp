#include "gcan/files/json_text.h"

#include <nlohmann/json.hpp>

namespace gcan::files {
namespace {

constexpr int kDeepest = 64;  // gcan's own files have 6 levels

bool is_too_deep(const std::string& text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"': in_string = !in_string; break;
      case '\\': i += in_string ? 1 : 0; break;
      case '[':
      case '{':
        if (!in_string && ++depth > kDeepest) return true;
        break;
      case ']':
      case '}': depth -= in_string ? 0 : 1; break;
      default: break;
    }
  }
  return false;
}

}  // namespace

nlohmann::ordered_json parse_json(const std::string& text) {
  using Json = nlohmann::ordered_json;
  return is_too_deep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

}  // namespace gcan::files
