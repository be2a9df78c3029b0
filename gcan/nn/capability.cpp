#include "gcan/nn/capability.h"

#include <string_view>

#include "gcan/torch.h"

namespace gcan::nn {

std::string aten_capability() {
  // LibTorch 2.x has a function for this; parsing this text works with all versions.
  constexpr std::string_view kKey = "CPU capability usage: ";
  const std::string config = at::show_config();
  const auto start = config.find(kKey);
  if (start == std::string::npos) return "unknown";
  const auto from = start + kKey.size();
  return config.substr(from, config.find_first_of(" \n", from) - from);
}

}  // namespace gcan::nn
