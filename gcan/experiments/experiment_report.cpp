#include "gcan/experiments/experiment_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "gcan/base/error.h"
#include "gcan/experiments/chart_view.h"
#include "gcan/experiments/fluid_report.h"
#include "gcan/experiments/run_report.h"
#include "gcan/experiments/run_sheet.h"
#include "gcan/files/durable.h"
#include "gcan/report/data_scaling.h"
#include "gcan/report/html_report.h"

namespace gcan::experiments {
namespace {

std::string curve_name(const Plan& plan, const std::string& model, const std::string& protocol) {
  const std::string& name = plan.experiment.row(model).title;
  return plan.protocols.size() > 1 ? fmt::format("{} (protocol {})", name, protocol) : name;
}

double best_error(const CellResult& r) { return r.result.test_best.metrics.error; }

// Our and the paper's numbers of trajectories, for complete curves of the paper beside our points.
std::vector<std::int64_t> all_trajectories(const Plan& plan) {
  std::set<std::int64_t> numbers(plan.trajectories.begin(), plan.trajectories.end());
  numbers.insert(plan.experiment.sizes.begin(), plan.experiment.sizes.end());
  return {numbers.begin(), numbers.end()};
}

report::ScalingCurve scaling_curve(const Plan& plan, const Results& results, const std::string& model,
                                   const std::string& protocol) {
  report::ScalingCurve curve{curve_name(plan, model, protocol), {}, {}, {}};
  for (const std::int64_t number : all_trajectories(plan)) {
    const auto found = results.of(model, number, protocol);
    double mean = found.empty() ? std::nan("") : 0;
    for (const CellResult& r : found) mean += best_error(r) / static_cast<double>(found.size());
    curve.trajectories.push_back(static_cast<double>(number));
    curve.errors.push_back(mean);
    curve.paper_errors.push_back(plan.experiment.paper_error(plan.experiment.row(model), number));
  }
  return curve;
}

// The paper's figure. A network's curve of the paper is drawn once, with its first protocol.
report::View scaling_view(const Plan& plan, const Results& results, const std::string& folder) {
  std::vector<report::ScalingCurve> curves;
  for (const std::string& model : plan.models) {
    for (const std::string& protocol : plan.protocols) {
      curves.push_back(scaling_curve(plan, results, model, protocol));
      if (protocol != plan.protocols.front()) curves.back().paper_errors.clear();
    }
  }
  std::vector<report::ConstantError> trivial;
  for (const auto& [name, metrics] : results.trivial) trivial.push_back({name, metrics.error});
  return chart_view(
      report::scaling_chart(curves, trivial), folder, "trajectories.png",
      "Test error against the number of training trajectories: ours filled and solid, the paper's hollow and "
      "dashed.");
}

// The first seed of each network for a number of trajectories.
std::vector<ReportedRun> runs_at(const Plan& plan, const Results& results, std::int64_t trajectories) {
  std::vector<ReportedRun> runs;
  for (const std::string& model : plan.models) {
    for (const std::string& protocol : plan.protocols) {
      const auto found = results.of(model, trajectories, protocol);
      if (!found.empty()) runs.push_back({curve_name(plan, model, protocol), found.front().folder});
    }
  }
  return runs;
}

// The best and the worst network at the largest number of trajectories with several networks.
std::vector<ReportedRun> extremes(const Plan& plan, const Results& results) {
  std::vector<ReportedRun> chosen;
  for (const std::int64_t number : plan.trajectories) {
    std::vector<CellResult> found;
    for (const CellResult& r : results.cells) {
      if (r.cell.trajectories == number) found.push_back(r);
    }
    if (found.empty() || (found.size() < 2 && chosen.size() == 2)) continue;
    const auto [low, high] =
        std::minmax_element(found.begin(), found.end(),
                            [](const auto& a, const auto& b) { return best_error(a) < best_error(b); });
    chosen.clear();
    for (const auto& r : {low, high}) {
      chosen.push_back({curve_name(plan, r->cell.model, r->cell.protocol), r->folder});
      if (low == high) break;
    }
  }
  return chosen;
}

// With unique names.
std::vector<ReportedRun> all_runs(const Plan& plan, const Results& results) {
  std::vector<ReportedRun> runs;
  for (const CellResult& r : results.cells) {
    std::string name =
        fmt::format("{}, {}", curve_name(plan, r.cell.model, r.cell.protocol), r.cell.trajectories);
    if (plan.seeds > 1) name += fmt::format(", seed {}", r.cell.seed);
    runs.push_back({name, r.folder});
  }
  return runs;
}

std::string summary_of(const Plan& plan, const Results& results) {
  const auto best =
      std::min_element(results.cells.begin(), results.cells.end(),
                       [](const auto& a, const auto& b) { return best_error(a) < best_error(b); });
  return fmt::format("{} Lowest test error: {} with {}, {} trajectories and {} steps.", plan.experiment.about,
                     report::error_text(best_error(*best)), plan.experiment.row(best->cell.model).title,
                     best->cell.trajectories, best->cell.steps);
}

// Pictures of predictions, depending on the kind of data.
void add_predictions(const Plan& plan, const Results& results, const std::string& folder,
                     report::HtmlReport& page) {
  std::vector<ReportedRun> runs;  // the runs with most trajectories
  for (const std::int64_t number : plan.trajectories) {
    if (auto found = runs_at(plan, results, number); !found.empty()) runs = std::move(found);
  }
  if (plan.experiment.data == "tetris") {
    page.sections.push_back(motion_section(runs, extremes(plan, results), folder, ""));
    return;
  }
  for (report::Section& section : fluid_sections(runs, folder, ""))
    page.sections.push_back(std::move(section));
}

// Learning curves for a number of trajectories.
report::Section size_section(const Plan& plan, const std::vector<ReportedRun>& runs, std::int64_t number,
                             const std::string& folder) {
  const std::string prefix = fmt::format("{}-", number);
  report::Section section = learning_section(runs, folder, prefix);
  section.title = fmt::format("{} training trajectories", number);
  // Fluid networks predict one step.
  if (plan.experiment.data != "tetris") return section;
  for (report::View& view : step_section(runs, folder, prefix).views)
    section.views.push_back(std::move(view));
  return section;
}

}  // namespace

std::string write_experiment_report(const Plan& plan, const Results& results, const std::string& folder,
                                    const std::string& command) {
  if (results.cells.empty()) {
    throw Error(fmt::format("no run of {} is finished, so there is nothing to report", plan.experiment.name));
  }
  files::make_folder(folder);
  report::HtmlReport page{.title = plan.experiment.title, .summary = summary_of(plan, results)};
  page.sections.push_back({.title = "Errors",
                           .tables = {error_table(plan, results)},
                           .views = {scaling_view(plan, results, folder)}});
  add_predictions(plan, results, folder, page);
  for (const std::int64_t number : plan.trajectories) {
    const auto runs = runs_at(plan, results, number);
    if (!runs.empty()) page.sections.push_back(size_section(plan, runs, number, folder));
  }
  report::Section all{"Runs"};
  all.tables = tables_of(plan, results);
  all.tables.erase(all.tables.begin());  // the errors stand above
  page.sections.push_back(all);
  page.sections.push_back(run_section(all_runs(plan, results)));
  page.commands = {command};
  page.configuration = train::to_toml(train::run_config(results.cells.back().folder));
  page.made_with = made_with();
  return report::write_html_report(folder, page);
}

}  // namespace gcan::experiments
