#pragma once

// What can be used on this machine, for `gcan doctor`; docs/limits.md says what gcan does not do anywhere.

#include <string>
#include <utility>
#include <vector>

namespace gcan::cli {

// "pictures" and "gnuplot in /usr/bin", ...
std::vector<std::pair<std::string, std::string>> usable();

}  // namespace gcan::cli
