#include "gcan/cli/frame/help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace gcan::cli {
namespace {

constexpr std::size_t kColumn = 30, kWidth = 110;

// Wraps a text at the width.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines{""};
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = text.substr(at, end - at);
    std::string& line = lines.back();
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines.push_back(word);
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
    if (end < text.size() && text[end] == '\n') lines.emplace_back();
    at = end + 1;
  }
  return lines;
}

// A name, with its meaning in the next column.
std::string row(const std::string& name, const std::string& help) {
  std::string text = "  " + name;
  // A long name gets its own line.
  std::size_t filled = text.size();
  if (filled + 2 > kColumn) {
    text += "\n";
    filled = 0;
  }
  for (const std::string& line : wrapped(help, kWidth - kColumn)) {
    text += fmt::format("{:>{}}{}\n", "", kColumn - filled, line);
    filled = 0;
  }
  return text;
}

std::string option_text(const NamedOption& option) {
  return fmt::format("{}{}{}", fmt::join(option.names, ", "), option.value.empty() ? "" : " ", option.value);
}

std::string options_text(const CLI::App& command) {
  std::vector<std::string> groups;
  const auto options = options_of(command);
  for (const NamedOption& option : options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  std::string text;
  for (const std::string& group : groups) {
    text += fmt::format("\n{}:\n", group);
    for (const NamedOption& option : options) {
      if (option.group == group) text += row(option_text(option), option.help);
    }
  }
  return text;
}

// CLI11 adds the descriptions of checks to a type's name.
std::string value_name(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));
}

}  // namespace

std::string path_of(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "gcan";
  return path_of(*command.get_parent()).append(" ").append(command.get_name());
}

std::vector<Positional> positionals_of(const CLI::App& command) {
  if (const auto more = std::dynamic_pointer_cast<LeftOver>(command.get_formatter())) {
    return more->positionals();
  }
  std::vector<Positional> result;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    result.push_back({option->get_name(true, false), option->get_description(), option->get_required(),
                      option->get_expected_max() > 1});
  }
  return result;
}

std::vector<NamedOption> options_of(const CLI::App& command) {
  std::vector<NamedOption> result;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    NamedOption named;
    for (const std::string& name : option->get_snames()) named.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) named.names.push_back("--" + name);
    named.value = value_name(*option);
    const bool is_help = option == command.get_help_ptr();
    named.help = is_help ? "Print this help" : option->get_description();
    named.group = option->get_group();
    named.repeated = option->get_expected_max() > 1;
    result.push_back(std::move(named));
  }
  return result;
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); });
}

std::string usage_of(const CLI::App& command) {
  std::string text = path_of(command) + " [OPTIONS]";
  for (const Positional& positional : positionals_of(command)) {
    const std::string name = positional.name + (positional.repeated ? "..." : "");
    text += positional.required ? " " + name : fmt::format(" [{}]", name);
  }
  return subcommands_of(command).empty() ? text : text + " COMMAND";
}

std::string help_text(const CLI::App& command) {
  std::string text = fmt::format(
      "{}\nUsage: {}\n", fmt::join(wrapped(command.get_description(), kWidth), "\n"), usage_of(command));
  if (const auto positionals = positionals_of(command); !positionals.empty()) {
    text += "\nArguments:\n";
    for (const Positional& positional : positionals) text += row(positional.name, positional.help);
  }
  text += options_text(command);
  if (const auto subcommands = subcommands_of(command); !subcommands.empty()) {
    text += "\nCommands:\n";
    for (const CLI::App* app : subcommands) text += row(app->get_name(), app->get_description());
  }
  if (command.get_parent() != nullptr) text += "\n'gcan --help' lists the global options.\n";
  if (const std::string footer = command.get_footer(); !footer.empty()) text += fmt::format("\n{}\n", footer);
  return text;
}

}  // namespace gcan::cli
