#pragma once

// The output of `gcan --version`.

#include <optional>
#include <string>

namespace gcan::cli {

// `threads` is the value of --threads.
std::string version_text(std::optional<int> threads);

}  // namespace gcan::cli
