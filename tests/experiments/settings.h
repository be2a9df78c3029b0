#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace gcan::test {

inline bool has(const std::vector<std::string>& settings, const std::string& setting) {
  return std::find(settings.begin(), settings.end(), setting) != settings.end();
}

}  // namespace gcan::test
