#include "gcan/cli/frame/usage.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "gcan/cli/frame/help.h"
#include "gcan/cli/frame/manual.h"
#include "gcan/cli/frame/values.h"
#include "gcan/cli/frame/version_text.h"
#include "gcan/data/file_check.h"

namespace gcan::cli {
namespace {

constexpr int kMostThreads = 1024;

constexpr const char* kFooter = R"(Examples:
  gcan algebra 3,0,0 "e1*e2"  compute in a geometric algebra
  gcan simulate shallow-water --preset small --trajectories 4 --out sw.h5
  gcan plot sw.h5 --out sw.png
  gcan train tetris/gca-mlp
  gcan reproduce tetris-mlp   the paper's table beside our results
  gcan doctor                 the machine, gcan's settings and speed
  gcan --threads 1 doctor     the same on one thread
  gcan doctor --help          the options of one command)";

// Global options.
struct Globals {
  std::string threads;
  bool no_verify = false, version = false;
  std::vector<std::string> help;  // the words after `gcan help`
  bool man = false, completion = false;
};

void describe(CLI::App& program, Globals& globals, Context& context) {
  program.add_option("--threads", globals.threads, "Number of threads; default: every core gcan may run on")
      ->type_name("N");
  program.add_flag("--no-verify", globals.no_verify,
                   "Read data files without verifying their checksums, for very large files");
  program.add_flag("--version", globals.version, "Print versions, SIMD level and threads");
  program.footer(kFooter);
  program.require_subcommand(0, 1);
  program.fallthrough();  // inherited: `gcan doctor --threads 1` equals `gcan --threads 1 doctor`
  add_commands(program, context);
  CLI::App* help = program.add_subcommand("help", "Print the help of a command");
  help->add_option("COMMAND", globals.help, "A command and its subcommand; default: all commands");
  help->add_flag("--man", globals.man, "Print the manual page in man's format");
  help->add_flag("--bash-completion", globals.completion, "Print the bash completion");
  help->footer("Examples:\n  gcan help train\n  gcan help simulate tetris");
}

// The command that the words name.
const CLI::App& named(const CLI::App& program, const std::vector<std::string>& words) {
  const CLI::App* app = &program;
  for (const std::string& word : words) {
    const CLI::App* next = nullptr;
    for (const CLI::App* sub : subcommands_of(*app)) next = sub->get_name() == word ? sub : next;
    if (next == nullptr) reject_command(*app, word);
    app = next;
  }
  return *app;
}

// The innermost command of the arguments. Known only after parsing, because an error ends parsing early.
const CLI::App& chosen(const CLI::App& program) {
  const CLI::App* app = &program;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return *app;
}

}  // namespace

int parse_threads(const std::string& text) { return whole_number("--threads", text, 1, kMostThreads); }

CommandLine parse(int argc, const char* const* argv, Context& context) {
  CLI::App program("Geometric Clifford Algebra Networks: the algebra, the data, the networks.", "gcan");
  Globals globals;
  describe(program, globals, context);
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {help_text(chosen(program))};
  } catch (const CLI::ExtrasError&) {
    reject_extra(program, chosen(program));
  } catch (const CLI::ParseError& error) {
    reject_value(chosen(program), error);
  }
  if (program.count("--threads") > 0) context.threads = parse_threads(globals.threads);
  data::set_verification(!globals.no_verify);
  if (globals.version) return {version_text(context.threads)};
  if (globals.man) return {manual_page(program)};
  if (globals.completion) return {bash_completion(program)};
  if (program.got_subcommand("help")) return {help_text(named(program, globals.help))};
  if (!context.work) throw UsageError("missing command; 'gcan --help' lists them");
  return {};
}

}  // namespace gcan::cli
