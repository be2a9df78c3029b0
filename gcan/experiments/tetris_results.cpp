#include "gcan/experiments/tetris_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "gcan/algebra/error.h"
#include "gcan/experiments/tetris_runner.h"
#include "gcan/kernels/cpu.h"
#include "gcan/train/files.h"
#include "gcan/train/metrics_log.h"
#include "gcan/train/record.h"
#include "gcan/version.h"

namespace gcan::experiments {
namespace {

using Json = nlohmann::ordered_json;
using report::error_text;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kMostSeeds = 32;  // looked for

struct Mean {
  double last = kNone, best = kNone;
};

Mean mean_of(const std::vector<CellResult>& results) {
  if (results.empty()) return {};
  Mean mean{0, 0};
  for (const CellResult& r : results) {
    mean.last += r.result.test_last.metrics.error / static_cast<double>(results.size());
    mean.best += r.result.test_best.metrics.error / static_cast<double>(results.size());
  }
  return mean;
}

std::string row_title(const TetrisPlan& plan, const TetrisRow& row, Protocol protocol) {
  std::string title = row.title + ", ours";
  if (plan.protocols.size() > 1) title += fmt::format(" (protocol {})", to_string(protocol));
  return title;
}

// The least error of all networks at so many trajectories.
double least(const TetrisPlan& plan, const TetrisResults& results, std::int64_t trajectories) {
  double value = std::numeric_limits<double>::infinity();
  for (const std::string& model : plan.models) {
    for (const Protocol protocol : plan.protocols) {
      const Mean mean = mean_of(results.of(model, trajectories, protocol));
      if (mean.best < value) value = mean.best;
    }
  }
  return value;
}

std::vector<TetrisCell> possible_cells(const TetrisPlan& plan) {
  TetrisPlan all(plan.experiment, plan.budget);
  all.protocols = plan.protocols;
  all.steps = plan.steps;
  all.seeds = std::max(plan.seeds, kMostSeeds);
  all.trajectories = paper_trajectories();
  for (const std::int64_t number : plan.trajectories) all.trajectories.push_back(number);
  all.choose_trajectories(all.trajectories);
  return all.cells();
}

Json to_json(const TetrisPlan& plan, const CellResult& r) {
  const TetrisRow& row = plan.experiment.row(r.cell.model);
  const double paper = row.paper_error(r.cell.trajectories);
  Json json{{"model", r.cell.model},
            {"title", row.title},
            {"trajectories", r.cell.trajectories},
            {"protocol", to_string(r.cell.protocol)},
            {"seed", r.cell.seed},
            {"run", r.folder},
            {"paper", std::isnan(paper) ? Json() : Json(paper)}};
  json.update(train::to_json(r.result));
  json.erase("trivial");
  return json;
}

Json to_json(const TetrisPlan& plan) {
  Json json{{"models", plan.models},
            {"trajectories", plan.trajectories},
            {"protocols", Json::array()},
            {"steps", plan.steps},
            {"seeds", plan.seeds}};
  for (const Protocol protocol : plan.protocols) json["protocols"].push_back(to_string(protocol));
  return json;
}

std::string results_file(const std::string& folder) {
  return (std::filesystem::path(folder) / "results.json").string();
}

}  // namespace

std::vector<CellResult> TetrisResults::of(const std::string& model, std::int64_t trajectories,
                                          Protocol protocol) const {
  std::vector<CellResult> found;
  for (const CellResult& r : cells) {
    if (r.cell.model == model && r.cell.trajectories == trajectories && r.cell.protocol == protocol) {
      found.push_back(r);
    }
  }
  return found;
}

TetrisResults collect(TetrisPlan& plan, const std::string& folder) {
  TetrisResults results;
  std::vector<std::string> models = plan.models;
  std::vector<std::int64_t> trajectories = plan.trajectories;
  for (const TetrisCell& cell : possible_cells(plan)) {
    const std::string run = run_folder(folder, cell);
    const auto result = train::read_result(run);
    if (!result) continue;
    results.cells.push_back({cell, run, *result});
    results.trivial = result->trivial;
    models.push_back(cell.model);
    trajectories.push_back(cell.trajectories);
    plan.seeds = std::max(plan.seeds, cell.seed);
  }
  plan.choose_models(models);
  plan.choose_trajectories(trajectories);
  return results;
}

report::Table error_table(const TetrisPlan& plan, const TetrisResults& results) {
  report::Table table{
      plan.experiment.title + ", test error by number of training trajectories", {""}, {}, {}};
  for (const std::int64_t number : plan.trajectories) table.columns.push_back(fmt::format("{}", number));
  for (const std::string& model : plan.models) {
    const TetrisRow& row = plan.experiment.row(model);
    std::vector<report::Cell> paper{row.title + ", paper"};
    for (const std::int64_t number : plan.trajectories) {
      paper.emplace_back(error_text(row.paper_error(number)));
    }
    table.rows.push_back(paper);
    for (const Protocol protocol : plan.protocols) {
      std::vector<report::Cell> ours{row_title(plan, row, protocol)};
      for (const std::int64_t number : plan.trajectories) {
        const Mean mean = mean_of(results.of(model, number, protocol));
        if (std::isnan(mean.last)) {
          ours.emplace_back("-");
        } else {
          ours.emplace_back(fmt::format("{} / {}", error_text(mean.last), error_text(mean.best)),
                            mean.best == least(plan, results, number));
        }
      }
      table.rows.push_back(ours);
    }
  }
  for (const auto& [name, metrics] : results.trivial) {
    std::vector<report::Cell> line{name};
    line.resize(table.columns.size(), report::Cell(error_text(metrics.error)));
    table.rows.push_back(line);
  }
  table.notes.emplace_back(
      "Ours: last step / step with the best validation error. Errors are summed over steps and coordinates.");
  for (const std::string& line : plan.differences()) table.notes.push_back(line);
  return table;
}

report::Table run_table(const TetrisPlan& plan, const TetrisResults& results) {
  report::Table table{"Runs",
                      {"network", "trajectories", "protocol", "seed", "parameters", "steps", "best at",
                       "seconds", "steps/s", "test, last", "test, best"},
                      {},
                      {}};
  for (const std::string& model : plan.models) {
    for (const CellResult& r : results.cells) {
      if (r.cell.model != model) continue;
      table.rows.push_back(
          {plan.experiment.row(model).title, std::to_string(r.cell.trajectories), to_string(r.cell.protocol),
           std::to_string(r.cell.seed), std::to_string(r.result.parameters), std::to_string(r.result.steps),
           std::to_string(r.result.test_best.step), fmt::format("{:.0f}", r.result.seconds),
           fmt::format("{:.3g}", r.result.steps_per_second), error_text(r.result.test_last.metrics.error),
           error_text(r.result.test_best.metrics.error)});
    }
  }
  return table;
}

bool write_results(const TetrisPlan& plan, const TetrisResults& results, const std::string& folder,
                   const std::string& command) {
  Json json{{"experiment", plan.experiment.name},
            {"budget", to_string(plan.budget)},
            {"plan", to_json(plan)},
            {"command", command},
            {"made_with", made_with()},
            {"differences", plan.differences()},
            {"trivial", Json::object()},
            {"cells", Json::array()}};
  for (const auto& [name, metrics] : results.trivial) json["trivial"][name] = train::to_json(metrics);
  for (const CellResult& r : results.cells) json["cells"].push_back(to_json(plan, r));
  const std::string all = json.dump(2).append("\n");
  if (std::filesystem::exists(results_file(folder)) && train::read_whole(results_file(folder)) == all)
    return false;
  std::string text =
      fmt::format("# {}\n\n{}\n\n    {}\n\n", plan.experiment.title, plan.experiment.about, command);
  text += report::to_markdown(error_table(plan, results)) + "\n";
  text += report::to_markdown(run_table(plan, results));
  text += fmt::format("\nMade with {}.\n", made_with());
  train::replace_durably((std::filesystem::path(folder) / "results.md").string(), text);
  // Last, because it tells that the others are there.
  train::replace_durably(results_file(folder), all);
  return true;
}

TetrisPlan read_plan(const std::string& folder) {
  const std::string path = results_file(folder);
  try {
    const Json json = Json::parse(train::read_whole(path));
    TetrisPlan plan(find_tetris_experiment(json.at("experiment")), budget_named(json.at("budget")));
    const Json& written = json.at("plan");
    plan.choose_models(written.at("models"));
    plan.choose_trajectories(written.at("trajectories"));
    plan.protocols.clear();
    for (const std::string name : written.at("protocols")) plan.protocols.push_back(protocol_named(name));
    plan.steps = written.at("steps");
    plan.seeds = written.at("seeds");
    return plan;
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("'{}' is damaged or not of gcan; 'gcan reproduce' writes it again", path));
  }
}

std::string made_with() {
  return fmt::format("gcan {} (commit {}, {}), LibTorch {}, {} cores with {}", version(), commit(),
                     compiler(), TORCH_VERSION, kernels::cores().usable(), kernels::simd_level());
}

}  // namespace gcan::experiments
