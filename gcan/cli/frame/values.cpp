#include "gcan/cli/frame/values.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "gcan/base/numbers.h"
#include "gcan/cli/frame/mistakes.h"

namespace gcan::cli {
namespace {

// Empty for a number within the limits.
std::string mistake_in(const std::string& text, std::int64_t least, std::int64_t most) {
  const auto number = base::parse_number<std::int64_t>(text);
  if (number && *number >= least && *number <= most) return "";
  return fmt::format("expects a whole number from {} to {}, not '{}'", least, most, text);
}

}  // namespace

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  return CLI::Validator([least, most](const std::string& text) { return mistake_in(text, least, most); }, "");
}

int whole_number(const std::string& option, const std::string& text, int least, int most) {
  const std::string mistake = mistake_in(text, least, most);
  if (!mistake.empty()) throw UsageError(fmt::format("{} {}", option, mistake));
  return *base::parse_number<int>(text);
}

void add_device(CLI::App& command, std::string& device) {
  const auto mistake = [](const std::string& text) {
    const std::string_view prefix = "cuda:";
    const bool numbered = text.starts_with(prefix) && text.size() > prefix.size() &&
                          text.size() <= prefix.size() + 3 &&
                          text.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (numbered || text == "auto" || text == "cpu" || text == "cuda") return std::string();
    return fmt::format("expects auto, cpu, cuda or a GPU's number as in cuda:1, not '{}'", text);
  };
  command
      .add_option(
          "--device", device,
          "Device for the network: cpu, cuda, cuda:N, or auto for a GPU if there is one; default: " + device)
      ->check(CLI::Validator(mistake, ""))
      ->type_name("NAME");
}

}  // namespace gcan::cli
