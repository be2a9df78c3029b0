#include "gcan/cli/frame/mistakes.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "gcan/base/spelling.h"
#include "gcan/cli/frame/help.h"

namespace gcan::cli {
namespace {

// The command, and its parents, whose options it accepts as well.
std::vector<const CLI::App*> with_parents(const CLI::App& command) {
  std::vector<const CLI::App*> apps{&command};
  while (apps.back()->get_parent() != nullptr && apps.back()->get_fallthrough()) {
    apps.push_back(apps.back()->get_parent());
  }
  return apps;
}

std::string see_help(const CLI::App& command) { return fmt::format("see '{} --help'", path_of(command)); }

// " of 'gcan train'"; nothing for the program itself.
std::string place_of(const CLI::App& command) {
  return command.get_parent() == nullptr ? "" : fmt::format(" of '{}'", path_of(command));
}

// Finds the option that CLI11 names in its message.
struct Blamed {
  const CLI::Option* option = nullptr;
  std::string name;
};

Blamed blamed(const CLI::App& chosen, const std::string& message) {
  Blamed best;
  for (const CLI::App* app : with_parents(chosen)) {
    for (const CLI::Option* option : app->get_options()) {
      const std::string name = option->get_name();
      // The longest match, because --outer contains --out.
      if (message.find(name) != std::string::npos && name.size() > best.name.size()) best = {option, name};
    }
  }
  return best;
}

std::string expected(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::string name = type.substr(0, type.find(':'));
  if (name == "N") return "a number";
  return name.empty() ? "a value" : name;
}

}  // namespace

void reject_option(const CLI::App& command, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* app : with_parents(command)) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  const std::string meant = base::did_you_mean(word, known);
  throw UsageError(fmt::format("there is no option '{}'{}{}", word, place_of(command),
                               meant.empty() ? "; " + see_help(command) : meant));
}

void reject_command(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* app : subcommands_of(command)) names.push_back(app->get_name());
  const std::string meant = base::did_you_mean(word, names);
  throw UsageError(fmt::format("there is no command '{}'{}{}", word, place_of(command),
                               meant.empty() ? "; " + see_help(command) : meant));
}

void reject_extra(const CLI::App& program, const CLI::App& chosen) {
  const std::vector<std::string> extras = program.remaining(true);
  const std::string word = extras.empty() ? "" : extras.front();
  if (word.starts_with("-")) reject_option(chosen, word);
  if (!subcommands_of(chosen).empty()) reject_command(chosen, word);
  throw UsageError(
      fmt::format("'{}' does not expect the argument '{}'; {}", path_of(chosen), word, see_help(chosen)));
}

void reject_value(const CLI::App& chosen, const CLI::ParseError& error) {
  const std::string message = error.what();
  const auto [option, name] = blamed(chosen, message);
  const std::string help = see_help(chosen);
  if (option == nullptr) throw UsageError(fmt::format("these arguments cannot be combined; {}", help));
  // Ours, from values.h: "--port: expects ...".
  if (const std::string start = name + ": expects "; message.starts_with(start)) {
    throw UsageError(fmt::format("{} expects {}", name, message.substr(start.size())));
  }
  const auto& results = option->results();
  if (option->get_type_name().empty()) throw UsageError(fmt::format("{} takes no value; {}", name, help));
  if (results.size() > 1 && option->get_expected_max() <= 1) {
    throw UsageError(fmt::format("{} is given {} times; use it once", name, results.size()));
  }
  if (results.empty() || results.back().empty()) {
    throw UsageError(fmt::format("{} expects {}, but nothing follows it; {}", name, expected(*option), help));
  }
  throw UsageError(fmt::format("{} expects {}, not '{}'; {}", name, expected(*option), results.back(), help));
}

}  // namespace gcan::cli
