#include "gcan/experiments/fluid_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "gcan/base/error.h"
#include "gcan/data/file_names.h"
#include "gcan/data/well_file.h"
#include "gcan/experiments/chart_view.h"
#include "gcan/experiments/fluid_prediction.h"
#include "gcan/experiments/run_groups.h"
#include "gcan/report/fluid_charts.h"
#include "gcan/train/data_check.h"

namespace gcan::experiments {
namespace {

namespace fs = std::filesystem;
using report::CurveKind;
using report::FluidCurve;
using train::Metrics;

std::string in(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

// The metrics of finished runs and trivial predictors on the test split.
struct Judged {
  std::string name;
  Metrics metrics;
  bool tested = true;  // false: on the validation split, because there is no test split
  bool trivial = false;
};

std::vector<Judged> judged(const std::vector<ReportedRun>& runs) {
  std::vector<Judged> all, trivial;
  for (const ReportedRun& run : runs) {
    const auto result = train::read_result(run.folder);
    if (!result) continue;
    all.push_back({run.name, result->judged_best().metrics, result->tested});
    trivial.clear();
    for (const auto& [name, metrics] : result->trivial)
      trivial.push_back({name, metrics, result->tested, true});
  }
  all.insert(all.end(), trivial.begin(), trivial.end());
  return all;
}

const std::vector<double>* curve_of(const Metrics& metrics, const std::string& name) {
  const auto* values = metrics.find_curve(name);
  return values == nullptr || values->empty() ? nullptr : values;
}

// One curve each, and the truth, which is the same for all.
std::vector<FluidCurve> curves_of(const std::vector<Judged>& all, const std::string& name,
                                  bool with_trivial) {
  std::vector<FluidCurve> curves;
  for (const Judged& one : all) {
    if (one.trivial && !with_trivial) continue;
    if (const auto* values = curve_of(one.metrics, name))
      curves.push_back({one.name, *values, one.trivial ? CurveKind::trivial : CurveKind::network});
  }
  for (const Judged& one : all) {
    const auto* truth = curve_of(one.metrics, name + "_truth");
    if (truth == nullptr || curves.empty()) continue;
    curves.push_back({"truth", *truth, CurveKind::truth});
    break;
  }
  return curves;
}

// Times since the last input frame; steps if the file does not exist.
report::LeadAxis lead_of(const std::vector<ReportedRun>& runs, const std::vector<FluidCurve>& curves) {
  std::size_t steps = 0;
  for (const FluidCurve& curve : curves) steps = std::max(steps, curve.values.size());
  const train::Config config = train::run_config(runs.front().folder);
  const auto history = static_cast<std::size_t>(config.data.integer("history"));
  const std::string moved = runs.front().data_file;
  const std::string file = moved.empty() ? config.data.text("file") : moved;
  if (!data::files_exist(file)) return report::lead_steps(steps);
  const data::WellReader reader(file);
  const auto& times = reader.description().frame_times;
  if (times.size() < history + steps) return report::lead_steps(steps);
  std::vector<double> lead;
  for (std::size_t i = 0; i < steps; ++i) lead.push_back(times[history + i] - times[history - 1]);
  return report::lead_times(lead);
}

// A metric by name, the error for an empty name, NaN for an unknown one.
double number_of(const Metrics& metrics, const std::string& name) {
  if (name.empty()) return metrics.error;
  const double* value = metrics.find_number(name);
  return value == nullptr ? std::nan("") : *value;
}

// A row for each, a column for each metric of any of them.
report::Table error_table(const std::vector<Judged>& all) {
  std::vector<std::pair<std::string, std::string>> columns;  // name of the number, heading
  constexpr const char* kOneStep = "one_step/";
  for (const Judged& one : all) {
    for (const auto& [name, value] : one.metrics.more) {
      if (!name.starts_with(kOneStep)) continue;
      const std::pair<std::string, std::string> column{name, name.substr(std::string(kOneStep).size())};
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    }
  }
  columns.emplace_back("scaled_l2", "scaled L2");
  columns.emplace_back("rollout_5", "5 steps");
  columns.emplace_back("rollout_long", "whole rollout");
  report::Table table{all.front().tested ? "Test errors of the best checkpoints"
                                         : "Validation errors of the best checkpoints",
                      {"network", "one step"},
                      {},
                      {}};
  for (const auto& [name, heading] : columns) table.columns.push_back(heading);
  std::vector<std::string> names{""};
  for (const auto& column : columns) names.push_back(column.first);
  for (const Judged& one : all) table.rows.push_back({one.name});
  for (std::size_t column = 0; column < names.size(); ++column) {
    std::vector<double> numbers;
    for (std::size_t row = 0; row < all.size(); ++row) {
      numbers.push_back(number_of(all[row].metrics, names[column]));
      table.rows[row].emplace_back(report::error_text(numbers.back()));
    }
    report::mark_least(table, column + 1, numbers);
  }
  table.notes.emplace_back(
      "Squared differences of normalised fields, averaged over space, summed over fields and, for 5 steps, "
      "over the steps; of the whole rollout the mean of its steps.");
  return table;
}

constexpr std::size_t kMostShown = 4;  // networks that a page rolls out
constexpr std::size_t kMostDrawn = 2;  // of these in a still picture

// The best run, the baseline, then other finished runs.
std::vector<ReportedRun> shown_runs(const std::vector<ReportedRun>& runs) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  std::vector<bool> finished;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto result = train::read_result(runs[i].folder);
    finished.push_back(result.has_value());
    if (!result || !(result->judged_best().metrics.error < least)) continue;
    least = result->judged_best().metrics.error;
    best = i;
  }
  std::vector<ReportedRun> chosen{runs[best]};
  const std::size_t baseline = best == 0 ? 1 : 0;
  if (baseline < runs.size()) chosen.push_back(runs[baseline]);
  for (std::size_t i = 0; i < runs.size() && chosen.size() < kMostShown; ++i) {
    if (i != best && i != baseline && finished[i]) chosen.push_back(runs[i]);
  }
  return chosen;
}

// The rollout with only the first networks.
report::FieldRollout of_first(report::FieldRollout rollout, std::size_t count) {
  if (rollout.networks.size() <= count) return rollout;
  rollout.networks.resize(count);
  for (report::RolloutField& field : rollout.fields) field.predictions.resize(count);
  return rollout;
}

constexpr const char* kUnfinished = "No run is finished yet.";

// " [(m/s)^2]": the squared unit of the first vector or scalar field; empty if unknown.
std::string squared_unit(const ReportedRun& run, const std::string& kinds, bool vector) {
  const std::vector<std::string> all = config::comma_parts(kinds);
  const std::vector<std::string> units = config::comma_parts(train::recorded(run.folder, "units"));
  const auto found = std::find(all.begin(), all.end(), vector ? "v" : "s");
  const auto at = static_cast<std::size_t>(found - all.begin());
  if (at >= units.size() || units[at] == "1") return "";
  return fmt::format(" [({})^2]", units[at]);
}

}  // namespace

report::Section rollout_error_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                                      const std::string& prefix) {
  report::Section section{"Rollout errors", {}, {}, {}};
  const std::vector<Judged> all = judged(runs);
  if (all.empty()) return {section.title, {kUnfinished}};
  section.tables.push_back(error_table(all));
  const std::vector<FluidCurve> curves = curves_of(all, "rollout", true);
  if (curves.empty()) return section;
  section.views.push_back(chart_view(
      report::rollout_error_chart(curves, lead_of(runs, curves)), folder, prefix + "rollout-errors.png",
      "Error over lead time: every frame is predicted from the network's own previous frames. Grey: "
      "predictors that learn nothing."));
  return section;
}

report::Section spectrum_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                                 const std::string& prefix) {
  report::Section section{"Spectrum", {}, {}, {}};
  const std::vector<Judged> all = judged(runs);
  const std::vector<FluidCurve> curves = curves_of(all, "spectrum", false);
  if (curves.empty()) return {section.title, {kUnfinished}};
  const std::string fields = train::run_config(runs.front().folder).data.text("fields");
  const bool flow = fields.find('v') != std::string::npos;
  std::vector<double> wavenumbers;
  for (const FluidCurve& curve : curves)
    while (wavenumbers.size() < curve.values.size())
      wavenumbers.push_back(static_cast<double>(wavenumbers.size()));
  const std::string what = flow ? "kinetic energy" : "half the squared amplitude";
  section.views.push_back(chart_view(
      report::spectrum_chart(curves, wavenumbers, what + squared_unit(runs.front(), fields, flow)), folder,
      prefix + "spectrum.png",
      fmt::format("The {} at the end of the rollout by wavenumber, averaged over the test trajectories: "
                  "below the truth a network smooths, above it adds noise.",
                  what)));
  return section;
}

report::Section drift_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                              const std::string& prefix) {
  report::Section section{"Drift", {}, {}, {}};
  const std::vector<Judged> all = judged(runs);
  if (all.empty()) return {section.title, {kUnfinished}};
  std::vector<FluidCurve> mass = curves_of(all, "mass_drift", false);
  const auto stands = [](const FluidCurve& curve) {
    return std::all_of(curve.values.begin(), curve.values.end(), [](double x) { return !(std::abs(x) > 0); });
  };
  std::erase_if(mass, stands);
  if (!mass.empty()) {
    section.views.push_back(
        chart_view(report::mass_drift_chart(mass, lead_of(runs, mass)), folder, prefix + "mass-drift.png",
                   "Drift of the area mean of the first scalar field since the last input frame, in standard "
                   "deviations of the training data; the truth is omitted if it is constant."));
  }
  const std::vector<FluidCurve> enstrophy = curves_of(all, "enstrophy_drift", false);
  if (!enstrophy.empty()) {
    section.views.push_back(chart_view(
        report::enstrophy_chart(enstrophy, lead_of(runs, enstrophy)), folder, prefix + "enstrophy.png",
        "Enstrophy of the first vector field relative to the last input frame."));
  }
  return section;
}

report::Section rollout_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                                const std::string& prefix) {
  if (runs.empty()) throw Error("a report of rollouts needs at least one run");
  const std::vector<ReportedRun> chosen = shown_runs(runs);
  FluidPredictionOptions options;
  constexpr std::int64_t kMostSteps = 80;  // that an animation shows
  const std::int64_t rollout = train::run_config(chosen.front().folder).data.integer("rollout");
  options.most_steps = rollout == 0 ? kMostSteps : rollout;
  std::vector<std::string> folders;
  folders.reserve(chosen.size());
  for (const ReportedRun& run : chosen) folders.push_back(run.folder);
  options.split = shown_split(chosen.front());
  options.data_file = chosen.front().data_file;
  report::FieldsView view = predicted_view(folders, options);
  report::FieldRollout& rolled = view.rollout;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    rolled.networks[i] = chosen[i].name;
    const auto same = [&](const ReportedRun& run) { return run.folder == chosen[i].folder; };
    const auto place = std::find_if(runs.begin(), runs.end(), same) - runs.begin();
    view.colours.push_back(static_cast<std::size_t>(place));
  }
  const std::string still = prefix + "rollout.png", moving = prefix + "rollout.gif";
  const report::FieldRollout drawn = of_first(rolled, kMostDrawn);
  report::draw_rollout(drawn, in(folder, still));
  report::animate_rollout(drawn, in(folder, moving));
  return {.title = "Rollout",
          .paragraphs = {"A trajectory that no network was trained on. Every frame is predicted from the "
                         "network's own previous frames; the difference is prediction minus target."},
          .views = {{std::move(view),
                     {{moving, "Target, prediction and difference."},
                      {still,
                       "The same at a few times, with the input above. Target and prediction have the same "
                       "colour scale; colours show the length of vectors."}}}}};
}

std::vector<report::Section> fluid_sections(const std::vector<ReportedRun>& runs, const std::string& folder,
                                            const std::string& prefix) {
  return {rollout_error_section(runs, folder, prefix), rollout_section(runs, folder, prefix),
          spectrum_section(runs, folder, prefix), drift_section(runs, folder, prefix)};
}

}  // namespace gcan::experiments
