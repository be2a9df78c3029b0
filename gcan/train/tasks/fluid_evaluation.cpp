// What predictions of fluid data are worth: the evaluation of FluidTask.

#include <fmt/format.h>

#include <algorithm>

#include "gcan/train/tasks/fluid_task.h"

namespace gcan::train {
namespace {

using Whole = std::int64_t;

// Stretches per call of the predictor in an evaluation.
constexpr Whole kEvaluated = 8;
constexpr Whole kShortRollout = 5;

std::vector<double> numbers(const torch::Tensor& tensor) {
  const torch::Tensor row = tensor.to(torch::kFloat64).contiguous();
  return {row.data_ptr<double>(), row.data_ptr<double>() + row.numel()};
}

// (N, frames, planes, H, W) -> mean over space, summed over planes: (N, frames)
torch::Tensor squares(const torch::Tensor& difference) {
  return difference.square().mean({3, 4}, false, torch::kFloat64).sum(2);
}

}  // namespace

torch::Tensor roll_out(const Predictor& predictor, const torch::Tensor& history, std::int64_t steps) {
  std::vector<torch::Tensor> frames;
  torch::Tensor seen = history;
  for (Whole done = 0; done < steps;) {
    torch::Tensor next = predictor(seen);
    const Whole count = std::min(next.size(1), steps - done);
    frames.push_back(next.narrow(1, 0, count));
    seen = torch::cat({seen, next}, 1).narrow(1, next.size(1), history.size(1)).contiguous();
    done += count;
  }
  return torch::cat(frames, 1);
}

std::vector<std::int64_t> FluidTask::evaluation_starts() const {
  const Whole all = frames() - history_ - future_ + 1;
  const Whole count = windows_ == 0 ? all : std::min(windows_, all);
  std::vector<Whole> starts;
  for (Whole i = 0; i < count; ++i) starts.push_back(count == 1 ? 0 : i * (all - 1) / (count - 1));
  return starts;
}

Metrics FluidTask::one_step(Split split, const Predictor& predictor) {
  const auto starts = evaluation_starts();
  torch::Tensor sum = torch::zeros({future_, store_.plane_count()}, torch::kFloat64);
  double scaled = 0;
  for (Whole example = 0; example < size(split); ++example) {
    const torch::Tensor all = store_.trajectory(trajectory_of(split, example));
    for (std::size_t first = 0; first < starts.size(); first += kEvaluated) {
      std::vector<torch::Tensor> inputs, targets;
      for (std::size_t i = first; i < std::min(first + kEvaluated, starts.size()); ++i) {
        inputs.push_back(all.narrow(0, starts[i], history_));
        targets.push_back(all.narrow(0, starts[i] + history_, future_));
      }
      const torch::Tensor target = torch::stack(targets);
      const torch::Tensor difference = predictor(torch::stack(inputs)) - target;
      sum += difference.square().mean({3, 4}, false, torch::kFloat64).sum(0);
      for (const FieldPlanes& field : store_.planes()) {
        const auto size_of = [&](const torch::Tensor& t) {
          return t.narrow(2, field.first, field.count)
              .square()
              .sum({1, 2, 3, 4}, false, torch::kFloat64)
              .sqrt();
        };
        const torch::Tensor whole = size_of(target), missed = size_of(difference);
        scaled += torch::where(whole > 0, missed / whole, missed).sum().item<double>();
      }
    }
  }
  const auto count = static_cast<double>(size(split)) * static_cast<double>(starts.size());
  sum /= count;
  Metrics metrics;
  metrics.error = sum.sum().item<double>();
  metrics.by_step = numbers(sum.sum(1));
  for (std::size_t i = 0; i < store_.fields().size(); ++i) {
    const FieldPlanes& planes = store_.planes()[i];
    metrics.more.emplace_back(
        fmt::format("one_step/{}", store_.file().description().fields[store_.fields()[i]].name),
        sum.narrow(1, planes.first, planes.count).sum().item<double>());
  }
  metrics.more.emplace_back("scaled_l2", scaled / count / static_cast<double>(store_.fields().size()));
  return metrics;
}

// Sums over trajectories of what is measured along rollouts.
struct FluidTask::Rollouts {
  torch::Tensor error, mass, mass_truth, enstrophy, enstrophy_truth, spectrum, spectrum_truth;
  torch::Tensor enstrophy_start;

  static void add(torch::Tensor& sum, const torch::Tensor& values) {
    sum = sum.defined() ? sum + values : values;
  }
};

void FluidTask::add_rollouts(Split split, const Predictor& predictor, Metrics& metrics) {
  const Whole most = frames() - history_;
  const Whole steps = rollout_ == 0 ? most : std::min(rollout_, most);
  const Normalisation& normal = store_.normalisation();
  Rollouts all;
  for (Whole first = 0; first < size(split); first += kEvaluated) {
    std::vector<torch::Tensor> stretches;
    for (Whole i = first; i < std::min(first + kEvaluated, size(split)); ++i) {
      stretches.push_back(store_.trajectory(trajectory_of(split, i)).narrow(0, 0, history_ + steps));
    }
    const torch::Tensor stretch = torch::stack(stretches);
    const torch::Tensor target = stretch.narrow(1, history_, steps);
    const torch::Tensor prediction = roll_out(predictor, stretch.narrow(1, 0, history_).contiguous(), steps);
    Rollouts::add(all.error, squares(prediction - target).sum(0));
    const torch::Tensor start = normal.undo(stretch.narrow(1, history_ - 1, 1));
    const torch::Tensor truth = normal.undo(target), made = normal.undo(prediction);
    if (measures_.has_scalar()) {
      const double scale = normal.scale_of(measures_.scalar_plane());
      const torch::Tensor before = measures_.mass(start);
      Rollouts::add(all.mass, ((measures_.mass(made) - before) / scale).abs().sum(0));
      Rollouts::add(all.mass_truth, ((measures_.mass(truth) - before) / scale).abs().sum(0));
    }
    if (measures_.has_vector()) {
      Rollouts::add(all.enstrophy_start, measures_.enstrophy(start).sum(0));
      Rollouts::add(all.enstrophy, measures_.enstrophy(made).sum(0));
      Rollouts::add(all.enstrophy_truth, measures_.enstrophy(truth).sum(0));
    }
    Rollouts::add(all.spectrum, measures_.spectrum(made.select(1, steps - 1)).sum(0));
    Rollouts::add(all.spectrum_truth, measures_.spectrum(truth.select(1, steps - 1)).sum(0));
  }
  const auto count = static_cast<double>(size(split));
  const auto curve = [&](const char* name, const torch::Tensor& values) {
    metrics.curves.emplace_back(name, numbers(values));
  };
  const auto drift = [&](const char* name, const torch::Tensor& values) {
    curve(name, values);
    metrics.more.emplace_back(name, values[-1].item<double>());
  };
  const torch::Tensor error = all.error / count;
  curve("rollout", error);
  metrics.more.emplace_back("rollout_5",
                            error.narrow(0, 0, std::min(kShortRollout, steps)).sum().item<double>());
  metrics.more.emplace_back("rollout_long", error.mean().item<double>());
  if (measures_.has_scalar()) {
    drift("mass_drift", all.mass / count);
    drift("mass_drift_truth", all.mass_truth / count);
  }
  if (measures_.has_vector()) {
    drift("enstrophy_drift", all.enstrophy / all.enstrophy_start - 1);
    drift("enstrophy_drift_truth", all.enstrophy_truth / all.enstrophy_start - 1);
  }
  curve("wavenumber", torch::arange(all.spectrum.size(0), torch::kFloat64));
  curve("spectrum", all.spectrum / count);
  curve("spectrum_truth", all.spectrum_truth / count);
}

Metrics FluidTask::evaluate(Split split, const Predictor& predictor, Depth depth) {
  const torch::NoGradGuard no_grad;
  Metrics metrics = one_step(split, predictor);
  if (depth == Depth::full) add_rollouts(split, predictor, metrics);
  return metrics;
}

std::vector<std::pair<std::string, Metrics>> FluidTask::trivial(Split split) {
  const auto persistence = [&](const torch::Tensor& input) {
    return input.narrow(1, history_ - 1, 1).expand({-1, future_, -1, -1, -1}).contiguous();
  };
  return {{"persistence", evaluate(split, persistence, Depth::full)}};
}

}  // namespace gcan::train
