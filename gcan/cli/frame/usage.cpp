#include "gcan/cli/frame/usage.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "gcan/base/spelling.h"

namespace gcan::cli {
namespace {

constexpr int kMostThreads = 1024;

constexpr const char* kFooter = R"(Examples:
  gcan algebra 3,0,0 "e1*e2"  compute in a geometric algebra
  gcan simulate shallow-water --preset small --trajectories 4 --out sw.h5
  gcan plot sw.h5 --out sw.png
  gcan train configs/tetris/gca-mlp.toml
  gcan reproduce tetris-mlp   the paper's table, ours beside it
  gcan doctor                 what this machine offers, what gcan sets, how fast it is
  gcan --threads 1 doctor     the same on one thread
  gcan doctor --help          the options of one command)";

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string path_of(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "gcan";
  return path_of(*command.get_parent()).append(" ").append(command.get_name());
}

// Says which argument was one too many, and what was probably meant.
[[noreturn]] void reject_extra(const CLI::App& program, const CLI::App& chosen) {
  const std::vector<std::string> extras = program.remaining(true);
  const std::string word = extras.empty() ? "" : extras.front();
  if (word.starts_with("-")) reject_option(chosen, word);
  const std::string help = fmt::format("see '{} --help'", path_of(chosen));
  if (const auto names = command_names(chosen); !names.empty()) {
    const std::string meant = base::did_you_mean(word, names);
    const std::string where = &chosen == &program ? "" : fmt::format(" of '{}'", path_of(chosen));
    throw UsageError(
        fmt::format("there is no command '{}'{}{}", word, where, meant.empty() ? "; " + help : meant));
  }
  throw UsageError(fmt::format("{} does not expect the argument '{}'; {}", path_of(chosen), word, help));
}

}  // namespace

void reject_option(const CLI::App& command, const std::string& word) {
  auto known = option_names(command);
  for (const CLI::App* app = &command; app->get_parent() != nullptr && app->get_fallthrough();) {
    app = app->get_parent();
    const auto global = option_names(*app);
    known.insert(known.end(), global.begin(), global.end());
  }
  const std::string meant = base::did_you_mean(word, known);
  throw UsageError(fmt::format("{} has no option '{}'{}", path_of(command), word,
                               meant.empty() ? fmt::format("; see '{} --help'", path_of(command)) : meant));
}

int parse_threads(const std::string& text) {
  int threads = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, threads);
  if (error != std::errc() || stop != end || threads < 1 || threads > kMostThreads) {
    throw UsageError(fmt::format("--threads expects a whole number from 1 to {}, and '{}' is not one",
                                 kMostThreads, text));
  }
  return threads;
}

CommandLine parse(int argc, const char* const* argv, const std::vector<Command>& commands, Context& context) {
  CLI::App program("Geometric Clifford Algebra Networks: the algebra, the data, the networks.", "gcan");
  std::string threads;
  program.add_option("--threads", threads, "Threads to compute with; default: every core gcan may run on")
      ->type_name("N");
  bool version = false;
  program.add_flag("--version", version, "Print versions, SIMD level and threads");
  program.footer(kFooter);
  program.require_subcommand(0, 1);
  program.fallthrough();  // inherited: `gcan doctor --threads 1` works as `gcan --threads 1 doctor` does
  for (const Command& command : commands) command.add(program, context);

  // Only known after parsing, because a mistake ends it early.
  const auto chosen = [&program]() -> const CLI::App& {
    const CLI::App* app = &program;
    while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
    return *app;
  };
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App& command = chosen();
    return {Request::kHelp,
            command.help(command.get_parent() == nullptr ? "" : path_of(*command.get_parent()))};
  } catch (const CLI::ExtrasError&) {
    reject_extra(program, chosen());
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{}; see '{} --help'", error.what(), path_of(chosen())));
  }
  if (program.count("--threads") > 0) context.threads = parse_threads(threads);
  if (version) return {Request::kVersion, ""};
  if (!context.work) throw UsageError("which command? 'gcan --help' lists them");
  return {};
}

}  // namespace gcan::cli
