#include "gcan/experiments/tetris_experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace gcan::experiments {
namespace {

constexpr std::int64_t kBatch = 64;  // train.batch if it is not set
constexpr std::int64_t kPaperSteps = 131072, kSmokeSteps = 16;
constexpr int kHeldOut = 1024, kSmokeHeldOut = 64;
constexpr double kPaperRate = 1e-3;
constexpr std::int64_t kWarmupPart = 128;  // of the steps
constexpr const char *kOurs = "ours", *kPaper = "paper";

const std::vector<std::int64_t> kPaperTrajectories{256, 1024, 4096, 16384};

// The largest learning rate of the protocol "ours": with few steps the same for all numbers of trajectories;
// with the paper's steps, for each number of trajectories in kPaperTrajectories, the one of 1e-3, 3e-3 and
// 1e-2 with the lowest validation error (results/tetris-mlp.md).
struct Rates {
  double few_steps;
  std::array<double, 4> all_steps;

  // NOLINTNEXTLINE(google-explicit-constructor): one rate stands for all in the tables below
  Rates(double one) : few_steps(one), all_steps{one, one, one, one} {}
  Rates(double few, const std::array<double, 4>& all) : few_steps(few), all_steps(all) {}

  [[nodiscard]] double of(std::int64_t trajectories, std::int64_t steps) const {
    if (steps < kPaperSteps) return few_steps;
    std::size_t at = 0;
    while (at + 1 < all_steps.size() && kPaperTrajectories[at + 1] <= trajectories) ++at;
    return all_steps[at];
  }
};

// A row, its steps of the budget laptop, and its rates.
struct TetrisRow {
  Row row;
  std::int64_t laptop_steps;
  Rates rates;
};

struct TetrisTable {
  std::string name, title, about;
  std::vector<TetrisRow> rows;
  std::vector<std::string> remarks;  // where the paper leaves something open
  std::vector<std::int64_t> laptop_trajectories;
};

class TetrisExperiment : public Experiment {
 public:
  explicit TetrisExperiment(const TetrisTable& table) : table_(table) {
    name = table.name;
    title = table.title;
    about = table.about;
    data = "tetris";
    sizes = kPaperTrajectories;
    protocols = {kOurs, kPaper};
    protocols_help = "ours (warm-up, then a cosine; default), paper (1e-3 constant) or both";
    length_unit = "steps";
    batch = kBatch;
    budgets_help =
        "smoke (seconds), laptop (about half an hour on two cores; default) or paper (131072 steps)";
    error_help = "Errors are summed over steps and coordinates.";
    for (const TetrisRow& line : table.rows) rows.push_back(line.row);
  }

  [[nodiscard]] std::vector<std::int64_t> trajectories(Budget budget) const override {
    switch (budget) {
      case Budget::smoke: return {sizes.front()};
      case Budget::laptop: return table_.laptop_trajectories;
      default: return sizes;
    }
  }

  [[nodiscard]] int held_out(Budget budget) const override {
    return budget == Budget::smoke ? kSmokeHeldOut : kHeldOut;
  }

  [[nodiscard]] std::string data_name(Budget budget) const override {
    return budget == Budget::smoke ? "tetris-smoke" : "tetris";
  }

  data::Outcome simulate(Budget /*budget*/, const data::SetOptions& options,
                         const data::Observer& observer) const override {
    return generate(data::TetrisSet{sim::tetris::Options::paper()}, options, observer);
  }

  void complete(Cell& cell, const Plan& plan) const override;
  [[nodiscard]] std::vector<std::string> differences(const Plan& plan) const override;

 private:
  [[nodiscard]] const TetrisRow& line(const std::string& model) const;
  [[nodiscard]] std::int64_t steps_of(const std::string& model, const Plan& plan) const;
  [[nodiscard]] double rate_of(const std::string& model, std::int64_t trajectories, const Plan& plan) const;
  [[nodiscard]] std::string rates_text(const Plan& plan) const;
  [[nodiscard]] std::string steps_text(const Plan& plan) const;

  TetrisTable table_;
};

const TetrisRow& TetrisExperiment::line(const std::string& model) const {
  return *std::find_if(table_.rows.begin(), table_.rows.end(),
                       [&](const TetrisRow& one) { return one.row.model == model; });
}

std::int64_t TetrisExperiment::steps_of(const std::string& model, const Plan& plan) const {
  if (plan.length > 0) return plan.length;
  switch (plan.budget) {
    case Budget::smoke: return kSmokeSteps;
    case Budget::paper: return kPaperSteps;
    default: break;
  }
  return line(model).laptop_steps;
}

double TetrisExperiment::rate_of(const std::string& model, std::int64_t trajectories,
                                 const Plan& plan) const {
  if (plan.learning_rate > 0) return plan.learning_rate;
  return line(model).rates.of(trajectories, steps_of(model, plan));
}

void TetrisExperiment::complete(Cell& cell, const Plan& plan) const {
  cell.steps = steps_of(cell.model, plan);
  cell.name = fmt::format("{}{}-{}-{}-{}{}-{}", plan.budget == Budget::smoke ? "smoke-" : "", cell.model,
                          cell.trajectories, cell.protocol, cell.steps, plan.variant(), cell.seed);
  cell.settings = {"model.name=" + cell.model, "data.kind=tetris",
                   fmt::format("data.train={}", cell.trajectories), fmt::format("train.steps={}", cell.steps),
                   fmt::format("train.seed={}", cell.seed)};
  const std::int64_t examples = std::min(plan.batch, cell.trajectories);
  if (examples != kBatch) cell.settings.push_back(fmt::format("train.batch={}", examples));
  if (cell.protocol == kPaper) {
    cell.settings.push_back(fmt::format("train.learning_rate={}", kPaperRate));
  } else {
    cell.settings.push_back(
        fmt::format("train.learning_rate={}", rate_of(cell.model, cell.trajectories, plan)));
    cell.settings.push_back(fmt::format("train.warmup_steps={}", cell.steps / kWarmupPart));
    cell.settings.emplace_back("train.schedule=cosine");
  }
  // A validation takes the time of about five steps.
  cell.settings.push_back(
      fmt::format("train.validate_every={}", std::clamp<std::int64_t>(cell.steps / 32, 1, 1024)));
  cell.settings.push_back(
      fmt::format("train.log_every={}", std::clamp<std::int64_t>(cell.steps / 512, 1, 256)));
}

std::string TetrisExperiment::steps_text(const Plan& plan) const {
  std::set<std::int64_t> counts;
  std::vector<std::string> each;
  for (const std::string& model : plan.models) {
    counts.insert(steps_of(model, plan));
    each.push_back(fmt::format("{} {}", row(model).title, steps_of(model, plan)));
  }
  return counts.size() == 1 ? fmt::format("{}", *counts.begin()) : fmt::format("{}", fmt::join(each, ", "));
}

// The rates of each network in short form: "MLP 0.003" or "GCA-MLP 0.001, 0.003 from 4096 trajectories on".
std::string TetrisExperiment::rates_text(const Plan& plan) const {
  std::vector<std::string> each;
  for (const std::string& model : plan.models) {
    std::string text = fmt::format("{} ", row(model).title);
    double last = 0;
    for (const std::int64_t trajectories : plan.trajectories) {
      const double rate = rate_of(model, trajectories, plan);
      if (last == 0) text += fmt::format("{:g}", rate);
      if (last != 0 && rate != last)
        text += fmt::format(", {:g} from {} trajectories on", rate, trajectories);
      last = rate;
    }
    each.push_back(text);
  }
  return fmt::format("{}", fmt::join(each, "; "));
}

std::vector<std::string> TetrisExperiment::differences(const Plan& plan) const {
  std::vector<std::string> lines;
  const std::string own = steps_text(plan);
  if (own != std::to_string(kPaperSteps)) {
    lines.push_back(fmt::format("Steps: {} instead of the paper's {}.", own, kPaperSteps));
  }
  for (const std::string& protocol : plan.protocols) {
    if (protocol == kPaper) {
      lines.emplace_back("Protocol paper: Adam, learning rate 1e-3 at all steps, as in the paper.");
    } else {
      lines.push_back(fmt::format(
          "Protocol ours: Adam, a warm-up in the first 1/{} of the steps to the largest learning rate, "
          "then a cosine to 0; the paper's is 1e-3 at all steps (--protocol paper). Largest learning rates: "
          "{}.",
          kWarmupPart, rates_text(plan)));
    }
  }
  lines.push_back(fmt::format("Seeds: {}; the paper does not say how many.", plan.seeds));
  lines.push_back(fmt::format("Batch: {}; the paper does not say.", plan.batch));
  lines.emplace_back(
      "Data: the paper's was not published; 'gcan simulate tetris' with its defaults, see "
      "docs/experiments.md.");
  if (plan.budget == Budget::smoke) {
    lines.push_back(
        fmt::format("Budget smoke: {} validation and test trajectories instead of {}; its numbers "
                    "only show that everything runs.",
                    kSmokeHeldOut, kHeldOut));
  }
  lines.insert(lines.end(), table_.remarks.begin(), table_.remarks.end());
  return lines;
}

TetrisTable mlps() {
  return {
      "tetris-mlp",
      "Tetris: MLPs",
      "Networks that see the 32 points of four steps at once and predict the next four.",
      {{{"mlp", "MLP", {4.5061, 1.2180, 0.2184, 0.1596}}, 16384, {3e-3, {1e-3, 1e-3, 3e-3, 3e-3}}},
       {{"motor-mlp", "Motor-MLP", {3.5732, 0.8655, 0.4249, 0.4020}}, 16384, 3e-3},
       {{"so3-mlp", "SO(3)-MLP", {1.5153, 0.9504, 0.2172, 0.1176}}, 16384, 1e-3},
       {{"o3-mlp", "O(3)-MLP", {1.4232, 0.7224, 0.1584, 0.0876}}, 16384, 1e-3},
       {{"gca-mlp", "GCA-MLP", {0.9852, 0.0420, 0.00732, 0.0061}}, 16384, {3e-3, {3e-3, 1e-3, 3e-3, 1e-2}}}},
      {},
      kPaperTrajectories};
}

TetrisTable gnns() {
  return {
      "tetris-gnn",
      "Tetris: graph networks",
      "Networks that pass messages between the 32 points and predict the next four steps of each.",
      {{{"edgeconv", "EdgeConv", {1.572, 0.2406, 0.0240, 0.0123}}, 1024, 1e-3},
       {{"gnn-s", "GNN (S)", {0.3012, 0.0432, 0.0032, 0.0020}}, 3072, 1e-3},
       {{"gnn-s-d", "GNN (S, +d)", {0.2887, 0.0408, 0.0040, 0.0019}}, 3072, 1e-3},
       {{"gnn-l", "GNN (L)", {0.2879, 0.0504, 0.0043, 0.0017}}, 3072, 1e-3},
       {{"gnn-l-d", "GNN (L, +d)", {0.2793, 0.0516, 0.0030, 0.0016}}, 3072, 1e-3},
       {{"gca-gnn", "GCA-GNN", {0.2403, 0.0012, 6.1e-4, 5.4e-4}}, 3072, 1e-3},
       {{"gca-gnn-45", "GCA-GNN (45)", {}}, 3072, 1e-3}},
      {"The paper's GCA-GNN has 64 channels and is said to have the parameters of GNN (S); at 64 channels it "
       "has 893K, and with 45 channels those of GNN (S). The table has both."},
      {1024}};
}

TetrisTable velocities() {
  return {"tetris-velocity",
          "Tetris: positions and velocities",
          "Networks that take positions and velocities and predict both; the error sums both.",
          {{{"mlp-velocity", "MLP", {3.2403, 0.5040, 0.1560, 0.0912}}, 8192, 3e-3},
           {{"gca-mlp-velocity", "GCA-MLP", {1.6560, 0.0984, 0.0418, 0.0432}}, 8192, 3e-3},
           {{"gnn-velocity", "GNN", {0.0504, 0.0086, 0.0015, 8.8e-4}}, 8192, 1e-3},
           {{"gca-gnn-velocity", "GCA-GNN", {0.0122, 0.0022, 4.1e-4, 2.6e-4}}, 8192, 1e-3}},
          {},
          {1024}};
}

}  // namespace

std::vector<std::unique_ptr<Experiment>> tetris_experiments() {
  std::vector<std::unique_ptr<Experiment>> all;
  for (const TetrisTable& table : {mlps(), gnns(), velocities()})
    all.push_back(std::make_unique<TetrisExperiment>(table));
  return all;
}

}  // namespace gcan::experiments
