#include "gcan/experiments/tetris_experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "gcan/algebra/error.h"
#include "gcan/algebra/spelling.h"

namespace gcan::experiments {
namespace {

constexpr std::int64_t kSmokeSteps = 16;
constexpr int kHeldOut = 1024, kSmokeHeldOut = 64;
constexpr double kPaperRate = 1e-3, kOurRate = 3e-3;
constexpr std::int64_t kWarmupPart = 128;  // of the steps

// "there is no network 'mpl' in tetris-mlp; did you mean 'mlp'?"
[[noreturn]] void throw_unknown(const std::string& what, const std::string& word,
                                const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  throw Error(fmt::format("there is no {} '{}'; {}", what, word,
                          near.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                       : fmt::format("did you mean '{}'?", near)));
}

template <class Enum>
Enum named(const char* what, const std::string& text, const std::vector<Enum>& all) {
  std::vector<std::string> names;
  for (const Enum value : all) {
    if (text == to_string(value)) return value;
    names.emplace_back(to_string(value));
  }
  throw_unknown(what, text, names);
}

TetrisExperiment mlps() {
  return {"tetris-mlp",
          "Tetris: MLPs",
          "Networks that see the 32 points of four steps at once and predict the next four.",
          {{"mlp", "MLP", {4.5061, 1.2180, 0.2184, 0.1596}, 16384},
           {"motor-mlp", "Motor-MLP", {3.5732, 0.8655, 0.4249, 0.4020}, 16384},
           {"so3-mlp", "SO(3)-MLP", {1.5153, 0.9504, 0.2172, 0.1176}, 16384},
           {"o3-mlp", "O(3)-MLP", {1.4232, 0.7224, 0.1584, 0.0876}, 16384},
           {"gca-mlp", "GCA-MLP", {0.9852, 0.0420, 0.00732, 0.0061}, 16384}},
          {},
          paper_trajectories()};
}

TetrisExperiment gnns() {
  return {
      "tetris-gnn",
      "Tetris: graph networks",
      "Networks that pass messages between the 32 points and predict the next four steps of each.",
      {{"edgeconv", "EdgeConv", {1.572, 0.2406, 0.0240, 0.0123}, 512},
       {"gnn-s", "GNN (S)", {0.3012, 0.0432, 0.0032, 0.0020}, 3072},
       {"gnn-s-d", "GNN (S, +d)", {0.2887, 0.0408, 0.0040, 0.0019}, 3072},
       {"gnn-l", "GNN (L)", {0.2879, 0.0504, 0.0043, 0.0017}, 3072},
       {"gnn-l-d", "GNN (L, +d)", {0.2793, 0.0516, 0.0030, 0.0016}, 3072},
       {"gca-gnn", "GCA-GNN", {0.2403, 0.0012, 6.1e-4, 5.4e-4}, 3072},
       {"gca-gnn-45", "GCA-GNN (45)", {}, 3072}},
      {"The paper's GCA-GNN has 64 channels and is said to have the parameters of GNN (S); at 64 channels it "
       "has 893K, and with 45 channels those of GNN (S). Both are here."},
      {1024}};
}

TetrisExperiment velocities() {
  return {"tetris-velocity",
          "Tetris: positions and velocities",
          "Networks that are given velocities beside the positions and predict both; the error sums both.",
          {{"mlp-velocity", "MLP", {3.2403, 0.5040, 0.1560, 0.0912}, 8192},
           {"gca-mlp-velocity", "GCA-MLP", {1.6560, 0.0984, 0.0418, 0.0432}, 8192},
           {"gnn-velocity", "GNN", {0.0504, 0.0086, 0.0015, 8.8e-4}, 8192},
           {"gca-gnn-velocity", "GCA-GNN", {0.0122, 0.0022, 4.1e-4, 2.6e-4}, 8192}},
          {},
          {1024}};
}

}  // namespace

double TetrisRow::paper_error(std::int64_t trajectories) const {
  const auto& sizes = paper_trajectories();
  const auto at = std::find(sizes.begin(), sizes.end(), trajectories);
  if (errors.empty() || at == sizes.end()) return std::nan("");
  return errors[static_cast<std::size_t>(at - sizes.begin())];
}

const TetrisRow& TetrisExperiment::row(const std::string& model) const {
  std::vector<std::string> names;
  for (const TetrisRow& candidate : rows) {
    if (candidate.model == model) return candidate;
    names.push_back(candidate.model);
  }
  throw_unknown(fmt::format("network of {}", name), model, names);
}

const std::vector<TetrisExperiment>& tetris_experiments() {
  static const std::vector<TetrisExperiment> all{mlps(), gnns(), velocities()};
  return all;
}

const TetrisExperiment& find_tetris_experiment(const std::string& name) {
  std::vector<std::string> names;
  for (const TetrisExperiment& experiment : tetris_experiments()) {
    if (experiment.name == name) return experiment;
    names.push_back(experiment.name);
  }
  throw_unknown("experiment", name, names);
}

const std::vector<std::int64_t>& paper_trajectories() {
  static const std::vector<std::int64_t> numbers{256, 1024, 4096, 16384};
  return numbers;
}

const char* to_string(Budget budget) {
  switch (budget) {
    case Budget::smoke: return "smoke";
    case Budget::laptop: return "laptop";
    default: return "paper";
  }
}

const char* to_string(Protocol protocol) { return protocol == Protocol::paper ? "paper" : "ours"; }

Budget budget_named(const std::string& text) {
  return named("budget", text, std::vector{Budget::smoke, Budget::laptop, Budget::paper});
}

Protocol protocol_named(const std::string& text) {
  return named("protocol", text, std::vector{Protocol::paper, Protocol::ours});
}

std::string TetrisCell::name() const {
  return fmt::format("{}{}-{}-{}-{}-{}", smoke ? "smoke-" : "", model, trajectories, to_string(protocol),
                     steps, seed);
}

TetrisPlan::TetrisPlan(const TetrisExperiment& of, Budget with) : experiment(of), budget(with) {
  for (const TetrisRow& row : experiment.rows) models.push_back(row.model);
  switch (budget) {
    case Budget::smoke: trajectories = {paper_trajectories().front()}; break;
    case Budget::laptop: trajectories = experiment.laptop_trajectories; break;
    default: trajectories = paper_trajectories();
  }
}

void TetrisPlan::choose_models(const std::vector<std::string>& names) {
  for (const std::string& name : names) static_cast<void>(experiment.row(name));
  models.clear();
  for (const TetrisRow& row : experiment.rows) {
    if (std::find(names.begin(), names.end(), row.model) != names.end()) models.push_back(row.model);
  }
}

void TetrisPlan::choose_trajectories(const std::vector<std::int64_t>& numbers) {
  constexpr std::int64_t kMost = 1'000'000;  // 6 GB
  for (const std::int64_t number : numbers) {
    if (number < 1 || number > kMost) {
      throw Error(fmt::format("the training trajectories are a number from 1 to {}, not {}", kMost, number));
    }
  }
  trajectories = numbers;
  std::sort(trajectories.begin(), trajectories.end());
  trajectories.erase(std::unique(trajectories.begin(), trajectories.end()), trajectories.end());
}

std::int64_t TetrisPlan::steps_of(const TetrisRow& row) const {
  if (steps > 0) return steps;
  switch (budget) {
    case Budget::smoke: return kSmokeSteps;
    case Budget::laptop: return row.laptop_steps;
    default: return kPaperSteps;
  }
}

std::vector<TetrisCell> TetrisPlan::cells() const {
  std::vector<TetrisCell> result;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    for (const std::int64_t number : trajectories) {
      for (const std::string& model : models) {
        for (const Protocol protocol : protocols) {
          result.push_back(
              {model, number, protocol, steps_of(experiment.row(model)), seed, budget == Budget::smoke});
        }
      }
    }
  }
  return result;
}

int TetrisPlan::held_out() const { return budget == Budget::smoke ? kSmokeHeldOut : kHeldOut; }

std::vector<std::string> TetrisPlan::settings(const TetrisCell& cell, const std::string& data_file) const {
  std::vector<std::string> result{"model.name=" + cell.model,
                                  "data.kind=tetris",
                                  "data.file=" + data_file,
                                  fmt::format("data.train={}", cell.trajectories),
                                  fmt::format("train.steps={}", cell.steps),
                                  fmt::format("train.seed={}", cell.seed)};
  if (cell.protocol == Protocol::paper) {
    result.push_back(fmt::format("train.learning_rate={}", kPaperRate));
  } else {
    result.push_back(fmt::format("train.learning_rate={}", kOurRate));
    result.push_back(fmt::format("train.warmup_steps={}", cell.steps / kWarmupPart));
    result.emplace_back("train.schedule=cosine");
  }
  // About 128 points of validation on a curve, and often enough to watch.
  const std::int64_t often = std::clamp<std::int64_t>(cell.steps / 128, 1, 1024);
  result.push_back(fmt::format("train.validate_every={}", often));
  result.push_back(fmt::format("train.log_every={}", std::min<std::int64_t>(often, 256)));
  return result;
}

std::string TetrisPlan::steps_text() const {
  std::set<std::int64_t> counts;
  std::vector<std::string> each;
  for (const std::string& model : models) {
    const TetrisRow& row = experiment.row(model);
    counts.insert(steps_of(row));
    each.push_back(fmt::format("{} {}", row.title, steps_of(row)));
  }
  return counts.size() == 1 ? fmt::format("{}", *counts.begin()) : fmt::format("{}", fmt::join(each, ", "));
}

std::vector<std::string> TetrisPlan::differences() const {
  std::vector<std::string> lines;
  const std::string own = steps_text();
  if (own != std::to_string(kPaperSteps)) {
    lines.push_back(fmt::format("Steps: {} instead of the paper's {}.", own, kPaperSteps));
  }
  for (const Protocol protocol : protocols) {
    if (protocol == Protocol::paper) {
      lines.emplace_back("Protocol paper: Adam, learning rate 1e-3 at all steps, as in the paper.");
    } else {
      lines.push_back(
          fmt::format("Protocol ours: Adam, learning rate up to {:g} in the first 1/{} of the steps, then a "
                      "cosine to 0; the "
                      "paper's is 1e-3 at all steps (--protocol paper).",
                      kOurRate, kWarmupPart));
    }
  }
  lines.push_back(fmt::format("Seeds: {}; the paper does not say how many.", seeds));
  lines.emplace_back("Batch: 64; the paper does not say.");
  lines.emplace_back(
      "Data: the paper's was not published; 'gcan simulate tetris' with its defaults, see "
      "docs/experiments.md.");
  if (budget == Budget::smoke) {
    lines.push_back(
        fmt::format("Budget smoke: {} validation and test trajectories instead of {}; its numbers "
                    "say only that everything runs.",
                    kSmokeHeldOut, kHeldOut));
  }
  lines.insert(lines.end(), experiment.remarks.begin(), experiment.remarks.end());
  return lines;
}

}  // namespace gcan::experiments
