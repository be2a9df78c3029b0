#pragma once

// The help of a command as text, made from the command's definition like the manual page and the completion,
// and independent of the version of CLI11.

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <utility>
#include <vector>

namespace gcan::cli {

// "gcan simulate tetris"
std::string path_of(const CLI::App& command);

// An argument without dashes.
struct Positional {
  std::string name, help;
  bool required = false, repeated = false;
};

// Arguments that a command reads itself from CLI11's unparsed arguments:
// command->formatter(std::make_shared<LeftOver>(...)).
class LeftOver : public CLI::Formatter {
 public:
  explicit LeftOver(std::vector<Positional> positionals) : positionals_(std::move(positionals)) {}
  [[nodiscard]] const std::vector<Positional>& positionals() const { return positionals_; }

 private:
  std::vector<Positional> positionals_;
};

std::vector<Positional> positionals_of(const CLI::App& command);

// An option as the user types it.
struct NamedOption {
  std::vector<std::string> names;  // "-h", "--help"
  std::string value;               // "N", "FILE", ...; empty for a flag
  std::string help, group;
  bool repeated = false;
};
std::vector<NamedOption> options_of(const CLI::App& command);

std::vector<const CLI::App*> subcommands_of(const CLI::App& command);

// "gcan train [OPTIONS] [CONFIG]"
std::string usage_of(const CLI::App& command);

// The output of `gcan COMMAND --help`.
std::string help_text(const CLI::App& command);

}  // namespace gcan::cli
