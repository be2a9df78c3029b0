#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "gcan/cli/frame/help.h"
#include "gcan/cli/frame/manual.h"

namespace gcan::cli {
namespace {

// Finds the command before the cursor, then offers values of the preceding option, options after a dash,
// subcommands, configurations or files.
constexpr const char* kStart = R"bash(# Completion of gcan for bash, made by 'gcan help --bash-completion'.
_gcan() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local path=gcan options='' commands='' valued='' files='' index configs
  for ((index = 1; index < COMP_CWORD; ++index)); do
    case "$path ${COMP_WORDS[index]}" in
      # The words after 'gcan help' are those after 'gcan'.
      'gcan help') ;;
      )bash";
constexpr const char* kMiddle = R"bash() path+=" ${COMP_WORDS[index]}" ;;
    esac
  done
  case $path in
)bash";
constexpr const char* kEnd = R"bash(  esac
  COMPREPLY=()
  if [[ " $files " == *" $previous "* ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  elif [[ " $valued " == *" $previous "* ]]; then
    return
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ -n $commands ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    if [[ $path == 'gcan train' ]]; then
      configs=$(cd "$(dirname "$(command -v gcan)")/../share/gcan/configs" 2>/dev/null && printf '%s ' */*.toml)
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "${configs//.toml/}" -- "$word")
    fi
  fi
}
complete -o filenames -F _gcan gcan
)bash";

void add_paths(const CLI::App& command, std::vector<std::string>& paths) {
  for (const CLI::App* sub : subcommands_of(command)) {
    if (sub->get_name() != "help") paths.push_back(fmt::format("'{}'", path_of(*sub)));
    add_paths(*sub, paths);
  }
}

// The lines for a command and its subcommands.
void add_lines(const CLI::App& command, const std::vector<NamedOption>& shared, std::string& lines) {
  std::vector<std::string> options, valued, files, commands;
  auto all = options_of(command);
  if (command.get_parent() != nullptr) all.insert(all.end(), shared.begin(), shared.end());
  for (const NamedOption& option : all) {
    for (const std::string& name : option.names) {
      options.push_back(name);
      const bool is_file = option.value.starts_with("FILE") || option.value == "FOLDER";
      if (!option.value.empty()) (is_file ? files : valued).push_back(name);
    }
  }
  for (const CLI::App* sub : subcommands_of(command)) commands.push_back(sub->get_name());
  lines += fmt::format("    '{}') options='{}' commands='{}' valued='{}' files='{}' ;;\n", path_of(command),
                       fmt::join(options, " "), fmt::join(commands, " "), fmt::join(valued, " "),
                       fmt::join(files, " "));
  for (const CLI::App* sub : subcommands_of(command)) add_lines(*sub, shared, lines);
}

}  // namespace

std::string bash_completion(const CLI::App& program) {
  std::vector<std::string> paths;
  add_paths(program, paths);
  std::vector<NamedOption> shared;
  for (NamedOption& option : options_of(program)) {
    if (option.names.back() != "--help" && option.names.back() != "--version") {
      shared.push_back(std::move(option));
    }
  }
  std::string lines;
  add_lines(program, shared, lines);
  return fmt::format("{}{}{}{}{}", kStart, fmt::join(paths, "|"), kMiddle, lines, kEnd);
}

}  // namespace gcan::cli
