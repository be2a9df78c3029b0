#pragma once

#include <string>

namespace gcan::files {

// The name of a file until it is complete.
inline std::string partial_name(const std::string& path) { return path + ".partial"; }

}  // namespace gcan::files
