#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gcan::base {

struct Utf8Character {
  std::uint32_t code;
  std::size_t size;  // [bytes]; 0 if the bytes are not valid UTF-8
};

// The first character of a text that is not empty.
Utf8Character first_utf8(std::string_view text);

}  // namespace gcan::base
