#include "gcan/experiments/run_sheet.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gcan/experiments/chart_view.h"
#include "gcan/files/durable.h"
#include "gcan/files/json_text.h"
#include "gcan/train/files/metrics_file.h"
#include "gcan/train/run.h"

namespace gcan::experiments {
namespace {

using Json = nlohmann::ordered_json;
using Facts = std::vector<std::pair<std::string, std::string>>;
using Settings = std::vector<report::RunSheet::Setting>;

void add_settings(const config::Options& options, Settings& settings) {
  for (const config::Option& option : options.table())
    settings.push_back({options.section() + "." + option.name, config::to_string(options.value(option.name)),
                        config::to_string(option.standard), option.help});
}

Settings settings_of(const train::Config& config) {
  Settings settings{{"model.name", config.model_name, "", "network"},
                    {"data.kind", config.data_kind, "", "kind of data"}};
  add_settings(config.model, settings);
  add_settings(config.data, settings);
  add_settings(config.train, settings);
  return settings;
}

// "machine.cores" and "2" for {"machine": {"cores": 2}}.
void flatten(const Json& json, const std::string& key, Facts& facts) {
  if (!json.is_object()) {
    facts.emplace_back(key, json.is_string() ? json.get<std::string>() : json.dump());
    return;
  }
  for (const auto& [name, value] : json.items())
    flatten(value, key.empty() ? name : fmt::format("{}.{}", key, name), facts);
}

// The entries of run.json; empty if it is missing or damaged, because the rest of the report does not need
// it.
Facts machine_of(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / "run.json").string();
  if (!std::filesystem::exists(path)) return {};
  Facts facts;
  const Json json = files::parse_json(files::read_whole(path));
  if (json.is_object()) flatten(json, "", facts);
  return facts;
}

Facts numbers_of(const std::string& folder, const train::Config& config) {
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  const auto result = train::read_result(folder);
  if (!result) {
    const train::LatestMetrics latest = train::latest_metrics(folder);
    Facts facts{{"steps done", fmt::format("{} of {}", latest.step, config.train.integer("steps"))}};
    if (latest.loss) facts.emplace_back("training error, latest", number(*latest.loss));
    if (latest.valid) facts.emplace_back("validation error, latest", number(*latest.valid));
    if (latest.steps_per_second)
      facts.emplace_back("steps per second", fmt::format("{:.4g}", *latest.steps_per_second));
    return facts;
  }
  Facts facts{{"test error, best checkpoint", number(result->test_best.metrics.error)},
              {"test error, last checkpoint", number(result->test_last.metrics.error)},
              {"validation error, best", number(result->valid_best.metrics.error)},
              {"best at step", std::to_string(result->test_best.step)},
              {"steps", std::to_string(result->steps)},
              {"parameters", std::to_string(result->parameters)},
              {"steps per second", fmt::format("{:.4g}", result->steps_per_second)},
              {"seconds", fmt::format("{:.0f}", result->seconds)}};
  for (const auto& [name, value] : result->test_best.metrics.more)
    facts.emplace_back("test, " + name, number(value));
  return facts;
}

}  // namespace

report::RunSheet run_sheet(const ReportedRun& run) {
  const train::Config config = train::run_config(run.folder);
  return {run.name,
          run.folder,
          settings_of(config),
          machine_of(run.folder),
          numbers_of(run.folder, config),
          named_curve(run.folder, run.name)};
}

report::Section run_section(const std::vector<ReportedRun>& runs) {
  report::RunsView view;
  for (const ReportedRun& run : runs) view.runs.push_back(run_sheet(run));
  return {.title = "Configuration and machine", .views = {{std::move(view)}}};
}

}  // namespace gcan::experiments
