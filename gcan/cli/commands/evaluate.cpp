// gcan evaluate: errors of a trained network on its data or on another file.

#include "gcan/cli/options/evaluate.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gcan/base/human.h"
#include "gcan/cli/commands/errors_table.h"
#include "gcan/cli/frame/progress.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/train/device.h"
#include "gcan/train/files/result_json.h"
#include "gcan/train/run.h"

namespace gcan::cli {
namespace {

std::vector<train::Checkpoint> asked_checkpoints(const EvaluateArguments& a) {
  if (a.checkpoint.empty()) {
    const auto found = train::checkpoints_of(a.run);
    // Without one, evaluating the last says what is wrong.
    return found.empty() ? std::vector{train::Checkpoint::last} : found;
  }
  try {
    return {train::checkpoint_named(a.checkpoint)};
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

train::Split split_of(const EvaluateArguments& a) {
  try {
    return data::split_named(a.split);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

// All metrics, for programs.
void print_json(const EvaluateArguments& a, const std::vector<ErrorRow>& rows,
                const train::Evaluation& evaluation) {
  const train::Config config = train::run_config(a.run);
  nlohmann::ordered_json json{{"run", a.run},
                              {"network", config.network().title},
                              {"data", a.data.empty() ? config.data.text("file") : a.data},
                              {"split", a.split},
                              {"examples", evaluation.examples},
                              {"notes", evaluation.notes},
                              {"checkpoints", nlohmann::ordered_json::object()},
                              {"trivial", nlohmann::ordered_json::object()}};
  for (const ErrorRow& row : rows) json["checkpoints"][row.name] = train::to_json(row.metrics);
  for (const auto& [name, metrics] : evaluation.trivial) json["trivial"][name] = train::to_json(metrics);
  fmt::print("{}\n", json.dump(2));
}

}  // namespace

void run_evaluate(const EvaluateArguments& a, const Context& context) {
  if (a.run.empty()) throw UsageError("missing argument RUN, as in 'gcan evaluate runs/gca-mlp'");
  const train::Split split = split_of(a);
  const auto checkpoints = asked_checkpoints(a);
  set_threads(context.threads);
  const torch::Device device = train::device_named(a.device);
  std::vector<ErrorRow> rows;
  train::Evaluation evaluation;
  std::optional<Progress> progress(std::in_place, "checkpoints", checkpoints.size(), 0);
  for (const train::Checkpoint checkpoint : checkpoints) {
    const std::string name = to_string(checkpoint);
    progress->show_now([&] { return "evaluating " + name; });
    evaluation = train::evaluate(a.run, checkpoint, split, a.data, device);
    const train::Evaluated& e = evaluation.network;
    rows.push_back({a.json ? name : fmt::format("{} (step {})", name, e.step), e.metrics});
    progress->step();
  }
  for (const std::string& note : evaluation.notes) progress->note(note);
  progress.reset();
  if (a.json) return print_json(a, rows, evaluation);
  for (const auto& [name, metrics] : evaluation.trivial) rows.push_back({name, metrics});
  fmt::print("{}: {} on {} of the split '{}'\n{}", a.run, train::run_config(a.run).network().title,
             base::counted(evaluation.examples, "examples"), to_string(split), errors_table(rows));
}

}  // namespace gcan::cli
