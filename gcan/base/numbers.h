#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace gcan::base {

// The number that the entire text represents, as in parse_number<int>("12"); empty for other text and for
// numbers out of range.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end || text.empty()) return std::nullopt;
  return number;
}

}  // namespace gcan::base
