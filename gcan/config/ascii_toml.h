#pragma once

#include <string>
#include <string_view>

namespace gcan::config {

// The same TOML in ASCII, line by line: in strings an escape like \u00E9 stands for each other character, in
// comments a '?'. toml++ 3.3 has undefined behaviour on some of these characters. Error, with `path` and the
// line, for control characters, for invalid UTF-8, and for non-ASCII characters outside strings and comments.
std::string ascii_toml(std::string_view text, const std::string& path);

}  // namespace gcan::config
