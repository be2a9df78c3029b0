#include "gcan/experiments/run_report.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "gcan/base/error.h"
#include "gcan/experiments/fluid_report.h"
#include "gcan/experiments/metrics_file.h"
#include "gcan/experiments/results.h"
#include "gcan/experiments/tetris_prediction.h"
#include "gcan/files/durable.h"
#include "gcan/report/learning_curves.h"
#include "gcan/report/step_errors.h"

namespace gcan::experiments {
namespace {

namespace fs = std::filesystem;
using report::error_text;

std::string in(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

// The network's title, and the folder's name where two runs have the same one.
std::vector<ReportedRun> named(const std::vector<std::string>& folders) {
  std::vector<ReportedRun> runs;
  std::multiset<std::string> titles;
  for (const std::string& folder : folders) {
    runs.push_back({train::run_config(folder).network().title, folder});
    titles.insert(runs.back().name);
  }
  for (ReportedRun& run : runs) {
    if (titles.count(run.name) < 2) continue;
    const fs::path path = fs::path(run.folder + "/.").lexically_normal().parent_path();
    run.name += fmt::format(" ({})", path.filename().string());
  }
  return runs;
}

report::Table run_errors(const std::vector<ReportedRun>& runs) {
  report::Table table{
      "Errors",
      {"network", "parameters", "steps", "steps/s", "validation, best", "test, last", "test, best"},
      {},
      {}};
  std::vector<std::pair<std::string, train::Metrics>> trivial;
  for (const ReportedRun& run : runs) {
    const auto result = train::read_result(run.folder);
    if (!result) {
      const LatestMetrics latest = latest_metrics(run.folder);
      const std::int64_t steps = train::run_config(run.folder).train.whole("steps");
      table.rows.push_back({run.name, "", fmt::format("{} of {}", latest.step, steps), "",
                            latest.valid ? error_text(*latest.valid) : "-", "-", "-"});
      table.notes.push_back(fmt::format("{} is not finished; its validation error is the latest.", run.name));
      continue;
    }
    trivial = result->trivial;
    table.rows.push_back(
        {run.name, std::to_string(result->parameters), std::to_string(result->steps),
         fmt::format("{:.3g}", result->steps_per_second), error_text(result->valid_best.metrics.error),
         error_text(result->test_last.metrics.error), error_text(result->test_best.metrics.error)});
  }
  for (const auto& [name, metrics] : trivial) {
    table.rows.push_back({name, "", "", "", "", error_text(metrics.error), error_text(metrics.error)});
  }
  return table;
}

// What the runs were trained on; Error where that is not the same kind.
std::string common_kind(const std::vector<ReportedRun>& runs) {
  std::string kind = train::run_config(runs.front().folder).data_kind;
  for (const ReportedRun& run : runs) {
    const std::string other = train::run_config(run.folder).data_kind;
    if (other == kind) continue;
    throw Error(fmt::format(
        "'{}' is a run on data of kind '{}' and '{}' one of kind '{}', which cannot be compared; give "
        "runs on data of one kind",
        runs.front().folder, kind, run.folder, other));
  }
  return kind;
}

}  // namespace

report::Section learning_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                                 const std::string& prefix) {
  std::vector<report::LearningCurve> curves;
  for (const ReportedRun& run : runs) curves.push_back(learning_curve(run.folder, run.name));
  const std::string file = prefix + "learning.png";
  report::draw_learning_curves(curves, in(folder, file));
  return {"Learning",
          {},
          {},
          {{file,
            "Error during training: validation thick, training (the mean of the steps since the last point) "
            "thin."}}};
}

report::Section step_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                             const std::string& prefix) {
  std::vector<report::StepErrors> models;
  std::vector<report::StepErrors> trivial;
  std::int64_t first = 1;
  for (const ReportedRun& run : runs) {
    const auto result = train::read_result(run.folder);
    if (!result) continue;
    first = train::run_config(run.folder).data.whole("steps_in") + 1;
    models.push_back({run.name, result->test_best.metrics.by_step});
    trivial.clear();
    for (const auto& [name, metrics] : result->trivial) trivial.push_back({name, metrics.by_step, true});
  }
  if (models.empty()) return {"Error by step", {"No run is finished yet."}};
  models.insert(models.end(), trivial.begin(), trivial.end());
  const std::string file = prefix + "steps.png";
  report::draw_step_errors(models, static_cast<int>(first), in(folder, file));
  return {
      "Error by step",
      {},
      {},
      {{file,
        "Test error of the best checkpoint at each predicted step; grey: predictors that learn nothing."}}};
}

report::Section motion_section(const std::vector<ReportedRun>& runs, const std::string& folder,
                               const std::string& prefix) {
  report::Section section{
      "Motion",
      {"A test trajectory that no network was trained on. Each object is drawn around its own "
       "middle; grey is the truth."},
      {},
      {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    report::TetrisMotion motion = predicted_motion(runs[i].folder);
    motion.model = runs[i].name;
    const std::string still = fmt::format("{}motion-{}.png", prefix, i + 1);
    const std::string moving = fmt::format("{}motion-{}.gif", prefix, i + 1);
    report::animate_tetris(motion, in(folder, moving));
    report::draw_tetris(motion, in(folder, still));
    section.figures.push_back({moving, runs[i].name + ": predicted in colours, true in grey.", 640});
    section.figures.push_back({still, runs[i].name + ": predicted (above) and true (below) steps."});
  }
  return section;
}

std::string write_run_report(const std::vector<std::string>& folders, const std::string& folder,
                             const std::string& command) {
  if (folders.empty()) throw Error("a report of runs needs at least one run folder");
  const std::vector<ReportedRun> runs = named(folders);
  const std::string kind = common_kind(runs);
  files::make_folder(folder);
  report::HtmlReport page{.title = runs.size() == 1 ? "A run of " + runs.front().name : "Runs compared"};
  page.sections.push_back({"Errors", {}, {run_errors(runs)}});
  page.sections.push_back(learning_section(runs, folder, ""));
  if (kind == "fluid") {
    for (report::Section& section : fluid_sections(runs, folder, "")) page.sections.push_back(section);
  } else {
    page.sections.push_back(step_section(runs, folder, ""));
    page.sections.push_back(motion_section(runs, folder, ""));
  }
  page.commands = {command};
  for (const ReportedRun& run : runs) {
    page.configuration +=
        fmt::format("# {}\n{}\n", run.folder, train::to_toml(train::run_config(run.folder)));
  }
  page.made_with = made_with();
  return report::write_html_report(folder, page);
}

}  // namespace gcan::experiments
