#include "gcan/experiments/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "gcan/base/cpu.h"
#include "gcan/base/error.h"
#include "gcan/experiments/plan_file.h"
#include "gcan/experiments/runner.h"
#include "gcan/files/durable.h"
#include "gcan/kernels/simd_level.h"
#include "gcan/train/files/record.h"
#include "gcan/train/files/result_json.h"
#include "gcan/version.h"

namespace gcan::experiments {
namespace {

using Json = nlohmann::ordered_json;
using report::error_text;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

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

std::string row_title(const Plan& plan, const Row& row, const std::string& protocol) {
  std::string title = row.title + ", ours";
  if (plan.protocols.size() > 1) title += fmt::format(" (protocol {})", protocol);
  return title;
}

// The page's link to the run; runs are numbered from 1.
std::string run_link(const Results& results, const CellResult& result) {
  const auto same = [&](const CellResult& r) { return r.folder == result.folder; };
  const auto found = std::find_if(results.cells.begin(), results.cells.end(), same);
  return fmt::format("#run-{}", found - results.cells.begin() + 1);
}

std::vector<Cell> possible_cells(const Plan& plan) {
  Plan all = plan;
  all.models = Plan(plan.experiment, plan.budget).models;
  all.seeds = std::max(plan.seeds, kMostSeeds);
  for (const auto& more : {plan.experiment.sizes, plan.experiment.trajectories(plan.budget)})
    all.trajectories.insert(all.trajectories.end(), more.begin(), more.end());
  all.choose_trajectories(all.trajectories);
  return all.cells();
}

Json to_json(const Plan& plan, const CellResult& r) {
  const Row& row = plan.experiment.row(r.cell.model);
  const double paper = plan.experiment.paper_error(row, r.cell.trajectories);
  Json json{{"model", r.cell.model},
            {"title", row.title},
            {"trajectories", r.cell.trajectories},
            {"protocol", r.cell.protocol},
            {"seed", r.cell.seed},
            {"run", r.folder},
            {"paper", std::isnan(paper) ? Json() : Json(paper)}};
  json.update(train::to_json(r.result));
  json.erase("trivial");
  return json;
}

std::string results_file(const std::string& folder) {
  return (std::filesystem::path(folder) / "results.json").string();
}

}  // namespace

std::vector<CellResult> Results::of(const std::string& model, std::int64_t trajectories,
                                    const std::string& protocol) const {
  std::vector<CellResult> found;
  for (const CellResult& r : cells) {
    if (r.cell.model == model && r.cell.trajectories == trajectories && r.cell.protocol == protocol) {
      found.push_back(r);
    }
  }
  return found;
}

Results collect(Plan& plan, const std::string& folder) {
  Results results;
  std::vector<std::string> models = plan.models;
  std::vector<std::int64_t> trajectories = plan.trajectories;
  for (const Cell& cell : possible_cells(plan)) {
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

report::Table error_table(const Plan& plan, const Results& results) {
  report::Table table{
      plan.experiment.title + ", test error by number of training trajectories", {""}, {}, {}};
  for (const std::int64_t number : plan.trajectories) table.columns.push_back(fmt::format("{}", number));
  std::vector<std::vector<double>> errors(
      plan.trajectories.size());  // by column and row; NaN for the paper's
  for (const std::string& model : plan.models) {
    const Row& row = plan.experiment.row(model);
    std::vector<report::Cell> paper{row.title + ", paper"};
    for (const std::int64_t number : plan.trajectories) {
      paper.emplace_back(error_text(plan.experiment.paper_error(row, number)));
    }
    for (auto& column : errors) column.push_back(kNone);
    table.rows.push_back(paper);
    table.row_kinds.push_back(report::RowKind::paper);
    for (const std::string& protocol : plan.protocols) {
      std::vector<report::Cell> ours{row_title(plan, row, protocol)};
      for (std::size_t i = 0; i < plan.trajectories.size(); ++i) {
        const std::int64_t number = plan.trajectories[i];
        const Mean mean = mean_of(results.of(model, number, protocol));
        errors[i].push_back(mean.best);
        if (std::isnan(mean.last)) {
          ours.emplace_back("-");
        } else {
          ours.emplace_back(fmt::format("{} / {}", error_text(mean.last), error_text(mean.best)));
          ours.back().link = run_link(results, results.of(model, number, protocol).front());
        }
      }
      table.rows.push_back(ours);
      table.row_kinds.push_back(report::RowKind::ours);
    }
  }
  for (std::size_t i = 0; i < errors.size(); ++i) report::mark_least(table, i + 1, errors[i]);
  for (const auto& [name, metrics] : results.trivial) {
    std::vector<report::Cell> line{name};
    line.resize(table.columns.size(), report::Cell(error_text(metrics.error)));
    table.rows.push_back(line);
  }
  table.notes.push_back("Ours: last step / step with the best validation error. " +
                        plan.experiment.error_help);
  for (const std::string& line : plan.differences()) table.notes.push_back(line);
  return table;
}

report::Table run_table(const Plan& plan, const Results& results) {
  const bool protocols = plan.experiment.protocols.size() > 1;
  report::Table table{"Runs", {"network", "trajectories"}, {}, {}};
  if (protocols) table.columns.emplace_back("protocol");
  for (const char* column :
       {"seed", "parameters", "steps", "best at", "seconds", "steps/s", "test, last", "test, best"})
    table.columns.emplace_back(column);
  for (const std::string& model : plan.models) {
    for (const CellResult& r : results.cells) {
      if (r.cell.model != model) continue;
      std::vector<report::Cell> line{plan.experiment.row(model).title, std::to_string(r.cell.trajectories)};
      line.front().link = run_link(results, r);
      if (protocols) line.emplace_back(r.cell.protocol);
      for (const std::string& text :
           {std::to_string(r.cell.seed), std::to_string(r.result.parameters), std::to_string(r.result.steps),
            std::to_string(r.result.test_best.step), fmt::format("{:.0f}", r.result.seconds),
            fmt::format("{:.3g}", r.result.steps_per_second), error_text(r.result.test_last.metrics.error),
            error_text(r.result.test_best.metrics.error)})
        line.emplace_back(text);
      table.rows.push_back(line);
    }
  }
  return table;
}

report::Table metrics_table(const Plan& plan, const Results& results) {
  std::vector<std::string> names;
  for (const CellResult& r : results.cells) {
    for (const auto& [name, value] : r.result.test_best.metrics.more) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  if (names.empty()) return {};
  report::Table table{"Test, best checkpoint: further numbers",
                      {"network", "trajectories", "seed"},
                      {},
                      {plan.experiment.metrics_help}};
  table.columns.insert(table.columns.end(), names.begin(), names.end());
  const auto add = [&](std::vector<report::Cell> line, const train::Metrics& metrics) {
    for (const std::string& name : names) {
      const auto found = std::find_if(metrics.more.begin(), metrics.more.end(),
                                      [&](const auto& entry) { return entry.first == name; });
      line.emplace_back(error_text(found == metrics.more.end() ? kNone : found->second));
    }
    table.rows.push_back(line);
  };
  for (const std::string& model : plan.models) {
    for (const CellResult& r : results.cells) {
      if (r.cell.model != model) continue;
      add({plan.experiment.row(model).title, std::to_string(r.cell.trajectories),
           std::to_string(r.cell.seed)},
          r.result.test_best.metrics);
    }
  }
  for (const auto& [name, metrics] : results.trivial) add({name, "", ""}, metrics);
  return table;
}

std::vector<report::Table> tables_of(const Plan& plan, const Results& results) {
  std::vector<report::Table> tables{error_table(plan, results), run_table(plan, results)};
  if (report::Table more = metrics_table(plan, results); !more.columns.empty()) tables.push_back(more);
  return tables;
}

bool write_results(const Plan& plan, const Results& results, const std::string& folder,
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
  if (std::filesystem::exists(results_file(folder)) && files::read_whole(results_file(folder)) == all)
    return false;
  std::string text =
      fmt::format("# {}\n\n{}\n\n    {}\n\n", plan.experiment.title, plan.experiment.about, command);
  for (const report::Table& table : tables_of(plan, results)) text += report::to_markdown(table) + "\n";
  text += fmt::format("Made with {}.\n", made_with());
  files::replace_durably((std::filesystem::path(folder) / "results.md").string(), text);
  // Written last, because its existence implies the others.
  files::replace_durably(results_file(folder), all);
  return true;
}

Plan read_plan(const std::string& folder) {
  const std::string path = results_file(folder);
  return parse_plan(files::read_whole(path), path);
}

std::string made_with() {
  return fmt::format("gcan {} (commit {}, {}), LibTorch {}, {} cores with {}", version(), commit(),
                     compiler(), TORCH_VERSION, base::cores().usable(), kernels::simd_level());
}

}  // namespace gcan::experiments
