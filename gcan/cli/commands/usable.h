#pragma once

// The features available on this machine, for `gcan doctor`; docs/limits.md lists the general limits.

#include <string>
#include <utility>
#include <vector>

namespace gcan::cli {

// "pictures" and "gnuplot in /usr/bin", ...
std::vector<std::pair<std::string, std::string>> usable();

}  // namespace gcan::cli
