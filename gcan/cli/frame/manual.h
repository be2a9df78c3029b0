#pragma once

// The manual page and the shell completion, generated from the definitions of all commands: `gcan help --man`
// and `gcan help --bash-completion`. The build installs both.

#include <CLI/App.hpp>
#include <string>

namespace gcan::cli {

std::string manual_page(const CLI::App& program);
std::string bash_completion(const CLI::App& program);

}  // namespace gcan::cli
