// gcan evaluate: errors of a trained network on its data, or on another file.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "gcan/cli/commands/errors_table.h"
#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/train/run.h"

namespace gcan::cli {
namespace {

struct Arguments {
  std::string run, checkpoint, split = "test", data;
};

std::vector<train::Checkpoint> checkpoints_of(const Arguments& a) {
  if (a.checkpoint.empty()) return {train::Checkpoint::last, train::Checkpoint::best};
  try {
    return {train::checkpoint_named(a.checkpoint)};
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

train::Split split_of(const Arguments& a) {
  try {
    return data::split_named(a.split);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

void run(const Arguments& a, const Context& context) {
  if (a.run.empty()) throw UsageError("which run? as in 'gcan evaluate runs/gca-mlp'");
  const train::Split split = split_of(a);
  const auto checkpoints = checkpoints_of(a);
  set_threads(context.threads);
  std::vector<ErrorRow> rows;
  train::Evaluation evaluation;
  for (const train::Checkpoint checkpoint : checkpoints) {
    evaluation = train::evaluate(a.run, checkpoint, split, a.data);
    const train::Evaluated& e = evaluation.network;
    rows.push_back({fmt::format("{} (step {})", to_string(checkpoint), e.step), e.metrics});
  }
  for (const auto& [name, metrics] : evaluation.trivial) rows.push_back({name, metrics});
  fmt::print("{}: {} on {} examples of the split '{}'\n{}", a.run, train::run_config(a.run).network().title,
             evaluation.examples, to_string(split), errors_table(rows));
}

}  // namespace

void add_evaluate(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("evaluate", "Print the errors of a trained network");
  command->add_option("RUN", arguments->run, "Run folder");
  command->add_option("--checkpoint", arguments->checkpoint, "last or best; default: both")
      ->type_name("NAME");
  command->add_option("--split", arguments->split, "train, valid or test; default: test")->type_name("NAME");
  command->add_option("--data", arguments->data, "Another data file of the same kind")->type_name("FILE");
  command->footer("Example:\n  gcan evaluate runs/gca-mlp --checkpoint best");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run(*arguments, context); }; });
}

}  // namespace gcan::cli
