#include "gcan/experiments/plan_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gcan/base/error.h"
#include "gcan/files/json_text.h"

namespace gcan::experiments {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t integer(const Json& json, const char* key, std::int64_t least, std::int64_t most) {
  const Json& value = json.at(key);
  const bool fits = value.is_number_integer() && value >= least && value <= most;
  if (!fits) throw Error(fmt::format("'{}' must be a whole number from {} to {}", key, least, most));
  return value;
}

}  // namespace

Json to_json(const Plan& plan) {
  Json json{{"models", plan.models},
            {"trajectories", plan.trajectories},
            {"protocols", plan.protocols},
            {plan.experiment.length_unit, plan.length},
            {"seeds", plan.seeds}};
  if (plan.experiment.batch > 0) json["batch"] = plan.batch;
  if (plan.learning_rate > 0) json["learning_rate"] = plan.learning_rate;
  return json;
}

Plan parse_plan(const std::string& text, const std::string& file) {
  constexpr std::size_t kMostSizes = 100;
  try {
    const Json json = files::parse_json(text);
    const Experiment& experiment = find_experiment(json.at("experiment").get<std::string>());
    Plan plan(experiment, experiment.budget_named(json.at("budget")));
    const Json& written = json.at("plan");
    plan.choose_models(written.at("models"));
    plan.choose_trajectories(written.at("trajectories"));
    plan.choose_protocols(written.at("protocols"));
    if (plan.trajectories.size() > kMostSizes) throw Error("it has too many numbers of trajectories");
    plan.length = integer(written, experiment.length_unit.c_str(), 0, kLongestTraining);
    plan.seeds = integer(written, "seeds", 1, kMostSeeds);
    // Version 0.1 did not write it.
    if (experiment.batch > 0 && written.contains("batch"))
      plan.batch = integer(written, "batch", 1, kLargestBatch);
    if (written.contains("learning_rate")) plan.choose_learning_rate(written.at("learning_rate"));
    return plan;
  } catch (const nlohmann::json::exception&) {
    throw Error(
        fmt::format("'{}' is damaged or was not written by gcan; 'gcan reproduce' writes it again", file));
  } catch (const Error& error) {
    throw Error(fmt::format("'{}': {}", file, error.what()));
  }
}

}  // namespace gcan::experiments
