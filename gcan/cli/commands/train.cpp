// gcan train: a network from a configuration, in a run folder.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcan/cli/commands/errors_table.h"
#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/interrupt.h"
#include "gcan/cli/frame/program.h"
#include "gcan/cli/frame/progress.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/train/run.h"

namespace gcan::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string config;
  std::vector<std::string> settings;
  std::string out;
  bool resume = false;
};

// The configuration may be a file, or the folder of a run that is to go on.
struct Request {
  train::Config config;
  std::string folder;
};

Request request_of(const Arguments& a) {
  if (a.config.empty()) {
    throw UsageError("which configuration? as in 'gcan train configs/tetris/gca-mlp.toml'");
  }
  const fs::path given(a.config);
  const bool is_folder = fs::is_directory(given);
  const std::string file = is_folder ? (given / "config.toml").string() : a.config;
  if (is_folder && !fs::exists(file)) {
    throw Error(fmt::format("'{}' is not a run folder: it has no config.toml", a.config));
  }
  std::string folder = a.out;
  if (folder.empty()) folder = is_folder ? a.config : (fs::path("runs") / given.stem()).string();
  if (a.resume && !fs::exists(fs::path(folder) / "config.toml")) {
    throw Error(
        fmt::format("there is no run to go on with in '{}'; leave out --resume to start one", folder));
  }
  return {train::read_config(file, a.settings), folder};
}

std::string losses(const train::Progress& p) {
  std::string text = fmt::format("loss {:.4g}", p.loss);
  if (p.valid) text += fmt::format(", validation {:.4g}", *p.valid);
  if (p.best) text += fmt::format(" (best {:.4g})", *p.best);
  return text;
}

void print_result(const std::string& folder, const train::Outcome& outcome) {
  const train::Result& r = *outcome.result;
  fmt::print("{} {}: {} steps, {}, {:.4g} steps per second, {} parameters\n",
             outcome.end == train::End::was_complete ? "complete already:" : "trained", folder, r.steps,
             duration_text(r.seconds), r.steps_per_second, r.parameters);
  std::vector<ErrorRow> rows;
  const auto add = [&](const char* split, const char* name, const train::Evaluated& e) {
    rows.push_back({fmt::format("{}, {} (step {})", split, name, e.step), e.metrics});
  };
  add("validation", "last", r.valid_last);
  add("validation", "best", r.valid_best);
  add("test", "last", r.test_last);
  add("test", "best", r.test_best);
  for (const auto& [name, metrics] : r.trivial) {
    rows.push_back({fmt::format("test, {}", name), metrics});
  }
  fmt::print("{}", errors_table(rows));
}

[[noreturn]] void tell_interruption(const std::string& folder, const train::Outcome& outcome) {
  throw Interrupted(fmt::format("stopped by {} and saved at step {}; go on with 'gcan train {}'",
                                Interrupt::name(), outcome.step, folder),
                    Interrupt::signal());
}

void run(const Arguments& arguments, std::optional<int> threads) {
  const Request request = request_of(arguments);
  if (const auto wanted = request.config.train.whole("threads"); !threads && wanted > 0) {
    threads = static_cast<int>(wanted);
  }
  set_threads(threads);
  // Until then there is nothing to save, and a signal ends the program at once.
  std::optional<Interrupt> interrupt;
  std::optional<Progress> progress;
  train::Observer observer;
  observer.begin = [&] { interrupt.emplace(); };
  observer.note = [](const std::string& sentence) { fmt::print(stderr, "{}\n", sentence); };
  observer.stop = [] { return Interrupt::signal() != 0; };
  observer.progress = [&](const train::Progress& p) {
    if (!progress) progress.emplace("steps", p.steps, p.first_step);
    progress->move_to(p.step, [&] { return losses(p); });
  };
  const train::Outcome outcome = train::train(request.config, request.folder, observer);
  progress.reset();
  if (outcome.end == train::End::stopped) tell_interruption(request.folder, outcome);
  print_result(request.folder, outcome);
}

}  // namespace

void add_train(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("train", "Train a network as a configuration file says");
  command->add_option("CONFIG", arguments->config,
                      "Configuration file, or the folder of a run to go on with");
  command->add_option("--set", arguments->settings, "Change a key of the configuration; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--out", arguments->out, "Run folder; default: runs/ and the configuration's name")
      ->type_name("FOLDER");
  command->add_flag("--resume", arguments->resume, "Only go on with a run that is there");
  command->footer(
      "A run that was stopped (Ctrl-C, SIGTERM, even kill -9) goes on when it is started again, and ends as "
      "if\n"
      "it had not been stopped. 'gcan list' shows networks, data and every key.\n\nExamples:\n"
      "  gcan simulate tetris --train 1024 --valid 1024 --test 1024 --out tetris.h5\n"
      "  gcan train configs/tetris/gca-mlp.toml --set data.file=tetris.h5 --set train.steps=20000\n"
      "  gcan train runs/gca-mlp");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run(*arguments, context.threads); }; });
}

}  // namespace gcan::cli
