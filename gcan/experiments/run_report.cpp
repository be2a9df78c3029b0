#include "gcan/experiments/run_report.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "gcan/base/error.h"
#include "gcan/experiments/chart_view.h"
#include "gcan/experiments/fluid_report.h"
#include "gcan/experiments/results.h"
#include "gcan/experiments/run_groups.h"
#include "gcan/experiments/run_sheet.h"
#include "gcan/experiments/tetris_prediction.h"
#include "gcan/files/durable.h"
#include "gcan/report/learning_curves.h"
#include "gcan/report/step_errors.h"
#include "gcan/train/files/metrics_file.h"

namespace gcan::experiments {
namespace {

namespace fs = std::filesystem;
using report::error_text;

constexpr const char* kApart =
    "The runs were tested on {} different data sets, whose errors have different units and cannot be "
    "compared: "
    "each data set has its own tables and pictures.";

std::string in(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

// `first` is the index of the first run on the page.
report::Table run_errors(const std::vector<ReportedRun>& runs, std::size_t first) {
  report::Table table{
      "Errors",
      {"network", "parameters", "steps", "steps/s", "validation, best", "test, last", "test, best"},
      {},
      {}};
  std::vector<std::pair<std::string, train::Metrics>> trivial;
  std::vector<double> valid, test;  // of finished runs
  bool tested = true;
  auto linked = [number = first](const ReportedRun& run) mutable {
    report::Cell cell(run.name);
    cell.link = fmt::format("#run-{}", ++number);
    return cell;
  };
  for (const ReportedRun& run : runs) {
    const auto result = train::read_result(run.folder);
    if (!result) {
      const train::LatestMetrics latest = train::latest_metrics(run.folder);
      const std::int64_t steps = train::run_config(run.folder).train.integer("steps");
      table.rows.push_back({linked(run), "", fmt::format("{} of {}", latest.step, steps), "",
                            latest.valid ? error_text(*latest.valid) : "-", "-", "-"});
      table.notes.push_back(fmt::format("{} is not finished; its validation error is the latest.", run.name));
      valid.push_back(std::nan(""));
      test.push_back(std::nan(""));
      continue;
    }
    trivial = result->trivial;
    tested = result->tested;
    valid.push_back(result->valid_best.metrics.error);
    test.push_back(result->test_best.metrics.error);
    table.rows.push_back(
        {linked(run), std::to_string(result->parameters), std::to_string(result->steps),
         fmt::format("{:.3g}", result->steps_per_second), error_text(result->valid_best.metrics.error),
         error_text(result->test_last.metrics.error), error_text(result->test_best.metrics.error)});
  }
  report::mark_least(table, 4, valid);
  report::mark_least(table, 6, test);
  for (const auto& [name, metrics] : trivial) {
    const std::string error = error_text(metrics.error);
    table.rows.push_back(tested ? std::vector<report::Cell>{name, "", "", "", "", error, error}
                                : std::vector<report::Cell>{name, "", "", "", error, "-", "-"});
  }
  if (!tested) table.notes.emplace_back("The data has no test split.");
  return table;
}

// The sections of a group of comparable runs.
std::vector<report::Section> group_sections(const RunGroup& group, std::size_t first,
                                            const std::string& folder, const std::string& prefix) {
  std::vector<report::Section> sections{{"Errors", {}, {run_errors(group.runs, first)}},
                                        learning_section(group.runs, folder, prefix)};
  if (group.kind == "fluid") {
    for (report::Section& section : fluid_sections(group.runs, folder, prefix)) sections.push_back(section);
  } else {
    sections.push_back(step_section(group.runs, folder, prefix));
    sections.push_back(motion_section(group.runs, group.runs, folder, prefix));
  }
  return sections;
}

}  // namespace

report::Section learning_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                                 const std::string& prefix) {
  std::vector<report::LearningCurve> curves;
  curves.reserve(runs.size());
  for (const ReportedRun& run : runs) curves.push_back(named_curve(run.folder, run.name));
  return {
      .title = "Learning",
      .views = {chart_view(
          report::learning_chart(curves), folder, prefix + "learning.png",
          "Error during training: validation thick, training (the mean of the steps since the last point) "
          "thin.")}};
}

report::Section step_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                             const std::string& prefix) {
  std::vector<report::StepErrors> models;
  std::vector<report::StepErrors> trivial;
  std::int64_t first = 1;
  std::string split;
  for (const ReportedRun& run : runs) {
    const auto result = train::read_result(run.folder);
    if (!result) continue;
    first = train::run_config(run.folder).data.integer("steps_in") + 1;
    models.push_back({run.name, result->judged_best().metrics.by_step});
    split = result->tested ? "Test" : "Validation";
    trivial.clear();
    for (const auto& [name, metrics] : result->trivial) trivial.push_back({name, metrics.by_step, true});
  }
  if (models.empty()) return {"Error by step", {"No run is finished yet."}};
  models.insert(models.end(), trivial.begin(), trivial.end());
  return {
      .title = "Error by step",
      .views = {chart_view(
          report::step_chart(models, static_cast<int>(first)), folder, prefix + "steps.png",
          split +
              " error of the best checkpoint at each predicted step; grey: predictors that learn nothing.")}};
}

report::Section motion_section(const std::vector<ReportedRun>& runs, const std::vector<ReportedRun>& drawn,
                               const std::string& folder, const std::string& prefix) {
  report::Section section{
      .title = "Motion",
      .paragraphs = {
          "Trajectories that no network was trained on. Each object is drawn around its own centre."}};
  for (report::BodiesView& bodies : predicted_bodies(runs)) section.views.push_back({std::move(bodies)});
  std::vector<report::Figure>& stills = section.views.front().stills;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    report::TetrisMotion motion =
        predicted_motion(drawn[i].folder, {.split = shown_split(drawn[i]), .data_file = drawn[i].data_file});
    motion.model = drawn[i].name;
    const std::string still = fmt::format("{}motion-{}.png", prefix, i + 1);
    const std::string moving = fmt::format("{}motion-{}.gif", prefix, i + 1);
    report::animate_tetris(motion, in(folder, moving));
    report::draw_tetris(motion, in(folder, still));
    stills.push_back({moving, drawn[i].name + ": predicted in colours, true in grey.", 640});
    stills.push_back({still, drawn[i].name + ": predicted (above) and true (below) steps."});
  }
  return section;
}

std::string write_run_report(const std::vector<std::string>& folders, const std::string& folder,
                             const std::string& command, const ReportOptions& options) {
  if (folders.empty()) throw Error("a report of runs needs at least one run folder");
  const std::vector<RunGroup> groups = grouped(folders, options.data_file);
  files::make_folder(folder);
  report::HtmlReport page;
  std::vector<ReportedRun> runs;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::string prefix = groups.size() == 1 ? "" : fmt::format("data-{}-", g + 1);
    if (options.note) options.note(fmt::format("drawing {}", groups[g].title));
    for (report::Section& section : group_sections(groups[g], runs.size(), folder, prefix)) {
      if (groups.size() > 1) section.title = fmt::format("{}: {}", groups[g].title, section.title);
      page.sections.push_back(std::move(section));
    }
    runs.insert(runs.end(), groups[g].runs.begin(), groups[g].runs.end());
  }
  page.title = runs.size() == 1 ? "A run of " + runs.front().name : "Runs compared";
  if (groups.size() > 1) page.summary = fmt::format(kApart, groups.size());
  page.sections.push_back(run_section(runs));
  page.commands = {command};
  for (const ReportedRun& run : runs) {
    page.configuration +=
        fmt::format("# {}\n{}\n", run.folder, train::to_toml(train::run_config(run.folder)));
  }
  page.made_with = made_with();
  return report::write_html_report(folder, page);
}

}  // namespace gcan::experiments
