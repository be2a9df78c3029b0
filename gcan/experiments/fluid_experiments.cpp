#include "gcan/experiments/fluid_experiments.h"

#include <fmt/format.h>

#include <algorithm>

namespace gcan::experiments {
namespace {

constexpr std::int64_t kPaperEpochs = 50;
constexpr std::int64_t kWarmupPart = 10;  // of the steps: 5 of the paper's 50 epochs
constexpr double kPaperRate = 5e-4, kFinalRate = 1e-7;
// The norm to which the workstation clips gradients: without it UNets diverge at 3e-3 (docs/findings.md).
constexpr int kClip = 1;

// The parameters of a budget.
struct Size {
  std::vector<std::int64_t> trajectories;
  int held_out;
  std::int64_t epochs;
  std::int64_t visits;  // of each trajectory per epoch, from random start frames
  std::int64_t batch;
  std::int64_t accumulate;  // batches in a step
  std::int64_t validations;
  std::int64_t windows;   // per trajectory in an evaluation; 0: all
  std::string normalise;  // see gcan/train/fluid_task.h
  std::string padding_x;

  // Examples per step.
  [[nodiscard]] std::int64_t per_step() const { return batch * accumulate; }
};

// Channels of a network by budget.
struct Channels {
  std::int64_t smoke, laptop_and_workstation, paper;
};

struct FluidRow {
  Row row;
  Channels channels;
  // The better of 3e-3 and 1e-2 by the laptop's validation error with fewest trajectories.
  double laptop_rate;
};

struct FluidTable {
  std::string name, title, about;
  std::vector<FluidRow> rows;
  std::array<Size, 4> budgets;  // smoke, laptop, workstation, paper
  std::vector<std::string> remarks;
};

// The laptop's grids and networks.
bool is_small(Budget budget) { return budget == Budget::laptop || budget == Budget::workstation; }

std::size_t index(Budget budget) { return static_cast<std::size_t>(budget); }

// The data set of a budget: the simulator's options and their description.
class FluidExperiment : public Experiment {
 public:
  explicit FluidExperiment(const FluidTable& table) : table_(table) {
    name = table.name;
    title = table.title;
    about = table.about;
    data = "fluid";
    for (const FluidRow& line : table.rows) rows.push_back(line.row);
    sizes = size(Budget::paper).trajectories;
    protocols = {"cosine"};
    length_unit = "epochs";
    budgets = {Budget::smoke, Budget::laptop, Budget::workstation, Budget::paper};
    budgets_help =
        "smoke (seconds), laptop (a smaller grid and narrower networks, about half an hour on two cores; "
        "default), workstation (the same networks, trained at least twenty times as long: a night on a few "
        "cores) or paper (its size: weeks on a CPU)";
    error_help = "Mean squared error of one step ahead, summed over the fields, in normalised units.";
    metrics_help =
        "one_step/FIELD: its share of the error. scaled_l2: of one step, relative to the fields' own size. "
        "rollout_5: summed over five steps in which the network sees its own predictions; rollout_long: mean "
        "per step to the end of the trajectory. At that end, mass_drift: of the first field's mean, in "
        "deviations of the training data; enstrophy_drift: relative; _truth: of the simulation itself.";
  }

  [[nodiscard]] std::vector<std::int64_t> trajectories(Budget budget) const override {
    return size(budget).trajectories;
  }
  [[nodiscard]] int held_out(Budget budget) const override { return size(budget).held_out; }

  void complete(Cell& cell, const Plan& plan) const override;
  [[nodiscard]] std::vector<std::string> differences(const Plan& plan) const override;

 protected:
  // "32 x 64 points (truncation 21), 22 frames"
  [[nodiscard]] virtual std::string data_text(Budget budget) const = 0;
  [[nodiscard]] virtual std::string padding_text(Budget budget) const = 0;

  [[nodiscard]] const Size& size(Budget budget) const { return table_.budgets.at(index(budget)); }

 private:
  [[nodiscard]] std::int64_t epochs(const Plan& plan) const {
    return plan.length > 0 ? plan.length : size(plan.budget).epochs;
  }
  [[nodiscard]] const FluidRow& line(const std::string& model) const;
  [[nodiscard]] std::int64_t channels(const std::string& model, Budget budget) const;
  [[nodiscard]] double learning_rate(const std::string& model, const Plan& plan) const;
  [[nodiscard]] std::string rates_text(const Plan& plan) const;
  [[nodiscard]] std::string widths_text(const Plan& plan, Budget budget) const;

  FluidTable table_;
};

// GCA layers as in the paper's text learn faster than the released ones, which do not divide by the mean
// norm; but the paper's table was made with the released ones.
bool as_written(const std::string& model, Budget budget) {
  return model.starts_with("gca-") && budget != Budget::paper;
}

const FluidRow& FluidExperiment::line(const std::string& model) const {
  const auto of_model = [&](const FluidRow& line) { return line.row.model == model; };
  return *std::find_if(table_.rows.begin(), table_.rows.end(), of_model);
}

std::int64_t FluidExperiment::channels(const std::string& model, Budget budget) const {
  const Channels& channels = line(model).channels;
  switch (budget) {
    case Budget::smoke: return channels.smoke;
    case Budget::paper: return channels.paper;
    default: return channels.laptop_and_workstation;
  }
}

double FluidExperiment::learning_rate(const std::string& model, const Plan& plan) const {
  if (plan.learning_rate > 0) return plan.learning_rate;
  return is_small(plan.budget) ? line(model).laptop_rate : kPaperRate;
}

void FluidExperiment::complete(Cell& cell, const Plan& plan) const {
  const Size& s = size(plan.budget);
  const std::int64_t examples = epochs(plan) * s.visits * cell.trajectories;
  cell.steps = (examples + s.per_step() - 1) / s.per_step();
  cell.name = fmt::format("{}-{}-{}-{}{}-{}", to_string(plan.budget), cell.model, cell.trajectories,
                          epochs(plan), plan.variant(), cell.seed);
  const auto every = [&](std::int64_t times) { return std::max<std::int64_t>(1, cell.steps / times); };
  cell.settings = {"model.name=" + cell.model,
                   fmt::format("model.channels={}", channels(cell.model, plan.budget)),
                   "model.padding_x=" + s.padding_x,
                   "data.kind=fluid",
                   fmt::format("data.train={}", cell.trajectories),
                   "data.normalise=" + s.normalise,
                   fmt::format("data.windows={}", s.windows),
                   fmt::format("train.steps={}", cell.steps),
                   fmt::format("train.batch={}", s.batch),
                   fmt::format("train.accumulate={}", s.accumulate),
                   fmt::format("train.seed={}", cell.seed),
                   fmt::format("train.learning_rate={}", learning_rate(cell.model, plan)),
                   "train.schedule=cosine",
                   fmt::format("train.warmup_steps={}", cell.steps / kWarmupPart),
                   fmt::format("train.final_learning_rate={}", kFinalRate),
                   fmt::format("train.validate_every={}", every(s.validations)),
                   fmt::format("train.log_every={}", every(128))};
  if (plan.budget == Budget::workstation) cell.settings.push_back(fmt::format("train.clip={}", kClip));
  if (as_written(cell.model, plan.budget)) cell.settings.emplace_back("model.variant=paper");
}

std::string FluidExperiment::widths_text(const Plan& plan, Budget budget) const {
  std::vector<std::string> texts;
  for (const std::string& model : plan.models)
    texts.push_back(fmt::format("{}-{}", row(model).title, channels(model, budget)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string FluidExperiment::rates_text(const Plan& plan) const {
  if (plan.learning_rate > 0) return fmt::format("{:g}", plan.learning_rate);
  if (!is_small(plan.budget)) return fmt::format("{:g}", kPaperRate);
  std::vector<std::string> texts;
  for (const std::string& model : plan.models)
    texts.push_back(fmt::format("{:g} ({})", learning_rate(model, plan), row(model).title));
  return fmt::format(
      "{}, for each network the better of 3e-3 and 1e-2 by its validation error with budget laptop and "
      "fewest "
      "trajectories,",
      fmt::join(texts, ", "));
}

std::vector<std::string> FluidExperiment::differences(const Plan& plan) const {
  const Size &s = size(plan.budget), &paper = size(Budget::paper);
  std::vector<std::string> lines;
  if (plan.budget != Budget::paper) {
    lines.push_back(fmt::format("Data: {} instead of {}.", data_text(plan.budget), data_text(Budget::paper)));
    lines.push_back(fmt::format("Widths: {} instead of {}; the table of runs has their parameters.",
                                widths_text(plan, plan.budget), widths_text(plan, Budget::paper)));
  }
  const auto epochs_text = [](std::int64_t number, const Size& of) {
    const std::string times = of.visits == 1 ? "once" : fmt::format("{} times", of.visits);
    return fmt::format("{} epochs, each trajectory {} in each, in steps of {}", number, times, of.per_step());
  };
  const std::string own = epochs_text(epochs(plan), s), theirs = epochs_text(kPaperEpochs, paper);
  lines.push_back(own == theirs ? fmt::format("Training: {}.", own)
                                : fmt::format("Training: {} instead of {}.", own, theirs));
  lines.push_back(fmt::format(
      "Schedule: Adam, learning rate up to {} in the first tenth of the steps, then a cosine to {:g}; the "
      "paper took the better of 2e-4 and 5e-4 for each network, warm-up and cosine as here.",
      rates_text(plan), kFinalRate));
  if (plan.budget == Budget::workstation)
    lines.push_back(
        fmt::format("Gradients: clipped to norm {}; the paper does not mention clipping.", kClip));
  lines.emplace_back(
      plan.budget == Budget::paper
          ? "GCA layers: as released by the authors."
          : "GCA layers: as in the paper's text (model.variant=paper); the released ones, which "
            "do not divide by the mean norm, learn more slowly.");
  lines.push_back(padding_text(plan.budget));
  lines.push_back(fmt::format(
      "Validation and test: {} trajectories each, which the networks never saw; {}.", s.held_out,
      s.windows == 0 ? "all starts" : fmt::format("{} starts of each, evenly spread", s.windows)));
  lines.push_back(fmt::format("Seeds: {}; the paper does not say how many.", plan.seeds));
  if (plan.budget == Budget::smoke)
    lines.emplace_back("Budget smoke: its numbers only show that everything runs.");
  lines.insert(lines.end(), table_.remarks.begin(), table_.remarks.end());
  return lines;
}

// Shallow water on the sphere.
class ShallowWaterExperiment final : public FluidExperiment {
 public:
  using FluidExperiment::FluidExperiment;

  [[nodiscard]] std::string data_name(Budget budget) const override {
    return fmt::format("shallow-water-{}", to_string(budget));
  }

  data::Outcome simulate(Budget budget, const data::SetOptions& options,
                         const data::Observer& observer) const override {
    return generate(data::ShallowWaterSet{options_of(budget)}, options, observer);
  }

 private:
  static sim::shallow_water::Options options_of(Budget budget) {
    auto options = sim::shallow_water::paper_preset();
    if (budget == Budget::paper) return options;
    sim::shallow_water::set_truncation(options, is_small(budget) ? 21 : 15);
    options.frames = is_small(budget) ? 22 : 10;
    return options;
  }

  [[nodiscard]] std::string data_text(Budget budget) const override {
    const auto options = options_of(budget);
    return fmt::format("{} x {} points (T{}), {} frames 5.5 h apart", options.latitudes, options.longitudes,
                       options.truncation, options.frames);
  }

  [[nodiscard]] std::string padding_text(Budget budget) const override {
    return size(budget).padding_x == "circular"
               ? "Borders: convolutions are periodic in longitude and padded with zeros at the poles; the "
                 "released networks pad all borders with zeros."
               : "Borders: convolutions pad all borders with zeros, as in the released networks, although "
                 "longitude is periodic.";
  }
};

// Smoke in a closed box.
class NavierStokesExperiment final : public FluidExperiment {
 public:
  using FluidExperiment::FluidExperiment;

  [[nodiscard]] std::string data_name(Budget budget) const override {
    return fmt::format("navier-stokes-{}", to_string(budget));
  }

  data::Outcome simulate(Budget budget, const data::SetOptions& options,
                         const data::Observer& observer) const override {
    return generate(data::SmokeSet{options_of(budget)}, options, observer);
  }

 private:
  static sim::smoke::Options options_of(Budget budget) {
    auto options = sim::smoke::Options::paper();
    if (is_small(budget)) return sim::smoke::Options::small();
    if (budget == Budget::smoke) options.cells = 16, options.length = 4;
    return options;
  }

  [[nodiscard]] std::string data_text(Budget budget) const override {
    const auto options = options_of(budget);
    return fmt::format("{0} x {0} cells of {1:g} m, {2} frames", options.cells, options.dx(),
                       options.frames());
  }

  [[nodiscard]] std::string padding_text(Budget /*budget*/) const override {
    return "Borders: convolutions are padded with zeros, as in the released networks.";
  }
};

const std::string kCliffordWidth =
    "The paper gives all networks of this table roughly the same number of parameters; its width for "
    "Clifford "
    "networks leaves the one in G(2,0,0) a fifth below the others. Budgets laptop and workstation make them "
    "equal.";

// The laptop's epochs and batch differ by table.
std::array<Size, 4> shallow_water_sizes(std::int64_t epochs, std::int64_t batch) {
  return {Size{{8}, 2, 1, 1, 4, 1, 2, 2, "fields", "circular"},
          Size{{112, 224}, 16, epochs, 1, batch, 1, 12, 2, "fields", "circular"},
          Size{{112, 224}, 64, kPaperEpochs, 5, batch, 1, kPaperEpochs, 2, "fields", "circular"},
          Size{{112, 224, 448, 892}, 224, kPaperEpochs, 88, 8, 8, kPaperEpochs, 0, "public", "zeros"}};
}

FluidTable shallow_water_resnets() {
  return {
      "shallow-water-resnet",
      "Shallow water: ResNets",
      "Residual networks that see four frames of surface height and wind on the sphere and predict the next.",
      {{{"resnet", "ResNet", {0.0248, 0.01310, 0.0076, 0.0055}}, {8, 36, 144}, 1e-2},
       {{"cresnet", "CResNet", {0.0457, 0.01685, 0.0076, 0.0041}}, {4, 18, 64}, 1e-2},
       {{"cresnet-rot", "CResNet_rot", {0.0269, 0.01040, 0.0045, 0.0031}}, {4, 16, 64}, 1e-2},
       {{"gca-resnet", "GCA-ResNet", {0.0204, 0.00920, 0.0050, 0.0036}}, {4, 16, 64}, 1e-2}},
      shallow_water_sizes(8, 2),
      {kCliffordWidth}};
}

FluidTable shallow_water_unets() {
  return {"shallow-water-unet",
          "Shallow water: UNets",
          "UNets that see four frames of surface height and wind on the sphere and predict the next.",
          {{{"cunet", "CUNet", {0.0056, 0.0013, 1.59e-4, 1.28e-4}}, {4, 9, 32}, 3e-3},
           {{"cunet-rot", "CUNet_rot", {0.0036, 9.83e-4, 2.05e-4, 1.31e-4}}, {4, 8, 32}, 1e-2},
           {{"unet", "UNet", {9.69e-4, 3.73e-4, 1.76e-4, 8.10e-5}}, {8, 18, 72}, 3e-3},
           {{"gca-unet", "GCA-UNet", {8.01e-4, 2.17e-4, 6.85e-5, 3.95e-5}}, {4, 8, 32}, 1e-2}},
          shallow_water_sizes(12, 4),
          {kCliffordWidth}};
}

FluidTable navier_stokes() {
  return {"navier-stokes",
          "Navier-Stokes: smoke",
          "UNets that see four frames of smoke and velocity in a closed box and predict the next.",
          {{{"unet", "UNet", {0.00290, 0.001040, 9.71e-4}}, {8, 18, 72}, 3e-3},
           {{"gca-unet", "GCA-UNet", {0.00194, 9.48e-4, 9.21e-4}}, {4, 8, 32}, 1e-2}},
          {Size{{8}, 2, 1, 1, 4, 1, 2, 2, "fields", "zeros"},
           Size{{208, 832}, 32, 6, 1, 4, 1, 12, 2, "fields", "zeros"},
           Size{{208, 832}, 64, kPaperEpochs, 3, 4, 1, kPaperEpochs, 2, "fields", "zeros"},
           Size{{832, 2080, 5200}, 1300, kPaperEpochs, 14, 8, 8, kPaperEpochs, 0, "none", "zeros"}},
          {}};
}

}  // namespace

std::vector<std::unique_ptr<Experiment>> fluid_experiments() {
  std::vector<std::unique_ptr<Experiment>> all;
  all.push_back(std::make_unique<ShallowWaterExperiment>(shallow_water_resnets()));
  all.push_back(std::make_unique<ShallowWaterExperiment>(shallow_water_unets()));
  all.push_back(std::make_unique<NavierStokesExperiment>(navier_stokes()));
  return all;
}

}  // namespace gcan::experiments
