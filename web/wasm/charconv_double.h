#pragma once

// The standard library of Debian's emscripten lacks the conversions between doubles and text that
// gcan/algebra uses. Included first when compiling to WebAssembly (web/wasm/build).

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace std {

inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const string text(first, last);
  char* end = nullptr;
  value = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  return {first + (end - text.c_str()), errc{}};
}

template <class T, class = enable_if_t<is_floating_point_v<T>>>
to_chars_result to_chars(char* first, char* last, T value, chars_format, int digits) {
  return {
      first + snprintf(first, static_cast<size_t>(last - first), "%.*g", digits, static_cast<double>(value)),
      errc{}};
}

// The fewest digits that round-trip.
template <class T, class = enable_if_t<is_floating_point_v<T>>>
to_chars_result to_chars(char* first, char* last, T value) {
  for (int digits = 1; digits < 17; ++digits) {
    const to_chars_result result = to_chars(first, last, value, chars_format::general, digits);
    if (static_cast<T>(strtod(string(first, result.ptr).c_str(), nullptr)) == value) return result;
  }
  return to_chars(first, last, value, chars_format::general, 17);
}

}  // namespace std
