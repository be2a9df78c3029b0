#include "gcan/experiments/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gcan/base/error.h"
#include "gcan/base/spelling.h"
#include "gcan/experiments/fluid_experiments.h"
#include "gcan/experiments/tetris_experiments.h"

namespace gcan::experiments {
namespace {

// Finds an element by name. Error otherwise: "there is no network 'mpl' in 'tetris-mlp'; did you mean 'mlp'?"
template <class List, class NameOf>
const auto& named(const std::string& what, const std::string& word, const List& list, const NameOf& name_of,
                  const std::string& place = "") {
  std::vector<std::string> names;
  for (const auto& candidate : list) {
    if (word == name_of(candidate)) return candidate;
    names.emplace_back(name_of(candidate));
  }
  const std::string all = fmt::format("; use {}", fmt::join(names, ", "));
  throw Error(
      fmt::format("there is no {} '{}'{}{}", what, word, place, base::did_you_mean(word, names, all)));
}

}  // namespace

const char* to_string(Budget budget) {
  switch (budget) {
    case Budget::smoke: return "smoke";
    case Budget::laptop: return "laptop";
    case Budget::workstation: return "workstation";
    default: return "paper";
  }
}

const Row& Experiment::row(const std::string& model) const {
  return named(
      "network", model, rows, [](const Row& row) { return row.model; }, fmt::format(" in '{}'", name));
}

Budget Experiment::budget_named(const std::string& text) const {
  return named(
      "budget", text, budgets, [](Budget budget) { return to_string(budget); },
      fmt::format(" in '{}'", name));
}

double Experiment::paper_error(const Row& row, std::int64_t number) const {
  const auto at = std::find(sizes.begin(), sizes.end(), number);
  if (row.errors.empty() || at == sizes.end()) return std::nan("");
  return row.errors[static_cast<std::size_t>(at - sizes.begin())];
}

const std::vector<std::unique_ptr<Experiment>>& all_experiments() {
  static const auto all = [] {
    auto list = tetris_experiments();
    for (auto& experiment : fluid_experiments()) list.push_back(std::move(experiment));
    return list;
  }();
  return all;
}

const Experiment& find_experiment(std::string_view name) {
  return *named("experiment", std::string(name), all_experiments(),
                [](const std::unique_ptr<Experiment>& experiment) { return experiment->name; });
}

Plan::Plan(const Experiment& of, Budget with)
    : experiment(of),
      budget(with),
      trajectories(of.trajectories(with)),
      protocols{of.protocols.front()},
      batch(of.batch) {
  for (const Row& row : experiment.rows) models.push_back(row.model);
}

void Plan::choose_models(const std::vector<std::string>& names) {
  for (const std::string& name : names) static_cast<void>(experiment.row(name));
  models.clear();
  for (const Row& row : experiment.rows) {
    if (std::find(names.begin(), names.end(), row.model) != names.end()) models.push_back(row.model);
  }
}

void Plan::choose_trajectories(const std::vector<std::int64_t>& numbers) {
  constexpr std::int64_t kMost = 1'000'000;  // 6 GB of Tetris
  for (const std::int64_t number : numbers) {
    if (number < 1 || number > kMost) {
      throw Error(
          fmt::format("the number of training trajectories must be from 1 to {}, not {}", kMost, number));
    }
  }
  trajectories = numbers;
  std::sort(trajectories.begin(), trajectories.end());
  trajectories.erase(std::unique(trajectories.begin(), trajectories.end()), trajectories.end());
}

void Plan::choose_protocols(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    named("protocol", name, experiment.protocols, [](const std::string& known) { return known; });
  protocols = names;
}

void Plan::choose_learning_rate(double rate) {
  constexpr double kLargest = 10;
  if (!(rate > 0 && rate <= kLargest))
    throw Error(fmt::format("the learning rate must be above 0 and at most {}, not {:g}", kLargest, rate));
  if (std::find(protocols.begin(), protocols.end(), "paper") != protocols.end())
    throw Error("the protocol paper has the paper's learning rate; use the protocol ours for another one");
  learning_rate = rate;
}

std::string Plan::variant() const {
  std::string text;
  if (batch != experiment.batch) text += fmt::format("-batch{}", batch);
  if (learning_rate > 0) text += fmt::format("-rate{:g}", learning_rate);
  return text;
}

std::vector<Cell> Plan::cells() const {
  std::vector<Cell> result;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    for (const std::int64_t number : trajectories) {
      for (const std::string& model : models) {
        for (const std::string& protocol : protocols) {
          Cell cell{model, number, protocol, seed, {}, {}, 0, {}};
          cell.label = fmt::format("{}, {} trajectories", experiment.row(model).title, number);
          if (protocols.size() > 1) cell.label += fmt::format(", protocol {}", protocol);
          if (seeds > 1) cell.label += fmt::format(", seed {}", seed);
          experiment.complete(cell, *this);
          result.push_back(std::move(cell));
        }
      }
    }
  }
  return result;
}

}  // namespace gcan::experiments
