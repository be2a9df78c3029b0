#include "gcan/base/utf8.h"

namespace gcan::base {

Utf8Character first_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t size = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < size) return {0, 0};
  std::uint32_t code = byte(0) & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {0, 0};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool longer_than_needed = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool no_character = (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF;
  return longer_than_needed || no_character ? Utf8Character{0, 0} : Utf8Character{code, size};
}

}  // namespace gcan::base
