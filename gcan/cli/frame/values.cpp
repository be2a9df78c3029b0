#include "gcan/cli/frame/values.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>

namespace gcan::cli {

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  const auto mistake = [least, most](const std::string& text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    if (problem == std::errc() && stop == end && number >= least && number <= most) return std::string();
    return fmt::format("expects a whole number from {} to {}, and '{}' is not one", least, most, text);
  };
  return CLI::Validator(mistake, "");
}

}  // namespace gcan::cli
