// FluidTask's evaluation of predictions.

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "gcan/distributed/group.h"
#include "gcan/train/tasks/fluid_task.h"

namespace gcan::train {
namespace {

using Whole = std::int64_t;

// Windows per call of the predictor in an evaluation.
constexpr Whole kEvaluated = 8;
constexpr Whole kShortRollout = 5;

std::vector<double> elements(const torch::Tensor& tensor) {
  const torch::Tensor row = tensor.to(torch::kFloat64).contiguous();
  return {row.data_ptr<double>(), row.data_ptr<double>() + row.numel()};
}

// (N, frames, planes, H, W) -> mean over space, summed over planes: (N, frames)
torch::Tensor squares(const torch::Tensor& difference) {
  return difference.square().mean({3, 4}, false, torch::kFloat64).sum(2);
}

}  // namespace

torch::Tensor moved_on(const torch::Tensor& seen, const torch::Tensor& next, std::int64_t time) {
  return torch::cat({seen, next}, time).narrow(time, next.size(time), seen.size(time)).contiguous();
}

torch::Tensor roll_out(const Predictor& predictor, const torch::Tensor& history, std::int64_t steps,
                       std::int64_t time) {
  std::vector<torch::Tensor> frames;
  torch::Tensor seen = history;
  for (Whole done = 0; done < steps;) {
    torch::Tensor next = predictor(seen);
    const Whole count = std::min(next.size(time), steps - done);
    frames.push_back(next.narrow(time, 0, count));
    seen = moved_on(seen, next, time);
    done += count;
  }
  return torch::cat(frames, time);
}

std::vector<std::int64_t> FluidTask::evaluation_starts() const {
  const Whole all = frames() - history_ - future_ + 1;
  const Whole count = windows_ == 0 ? all : std::min(windows_, all);
  std::vector<Whole> starts;
  for (Whole i = 0; i < count; ++i) starts.push_back(count == 1 ? 0 : i * (all - 1) / (count - 1));
  return starts;
}

// Sums over some windows of a trajectory, as a row of numbers: mean squared errors of each frame and plane,
// and relative errors of each field.
torch::Tensor FluidTask::one_step_row(const torch::Tensor& all, std::span<const Whole> starts,
                                      const Predictor& predictor) const {
  std::vector<torch::Tensor> inputs, targets;
  for (const Whole start : starts) {
    inputs.push_back(all.narrow(0, start, history_));
    targets.push_back(all.narrow(0, start + history_, future_));
  }
  const torch::Tensor target = torch::stack(targets);
  const torch::Tensor difference = predictor(torch::stack(inputs)) - target;
  std::vector<torch::Tensor> row{difference.square().mean({3, 4}, false, torch::kFloat64).sum(0).view(-1)};
  for (const FieldPlanes& field : store_.planes()) {
    const auto size_of = [&](const torch::Tensor& t) {
      return t.narrow(2, field.first, field.count).square().sum({1, 2, 3, 4}, false, torch::kFloat64).sqrt();
    };
    const torch::Tensor whole = size_of(target), missed = size_of(difference);
    row.push_back(torch::where(whole > 0, missed / whole, missed).sum().view(-1));
  }
  return torch::cat(row);
}

Metrics FluidTask::one_step(Split split, const Predictor& predictor) {
  const auto starts = evaluation_starts();
  const auto per_example = static_cast<Whole>((starts.size() + kEvaluated - 1) / kEvaluated);
  Whole read = -1;
  torch::Tensor all;
  const torch::Tensor rows = distributed::rows_of_units(group(), size(split) * per_example, [&](Whole unit) {
    const Whole example = unit / per_example;
    if (std::exchange(read, example) != example) all = store_.trajectory(trajectory_of(split, example));
    const auto first = static_cast<std::size_t>(unit % per_example * kEvaluated);
    const std::size_t stretches = std::min<std::size_t>(kEvaluated, starts.size() - first);
    return one_step_row(all, std::span(starts).subspan(first, stretches), predictor);
  });
  const Whole frame_planes = future_ * store_.plane_count();
  torch::Tensor sum = torch::zeros({frame_planes}, torch::kFloat64);
  double scaled = 0;
  for (Whole unit = 0; unit < rows.size(0); ++unit) {
    sum += rows[unit].narrow(0, 0, frame_planes);
    for (Whole i = frame_planes; i < rows.size(1); ++i) scaled += rows[unit][i].item<double>();
  }
  sum = sum.view({future_, store_.plane_count()});
  const auto count = static_cast<double>(size(split)) * static_cast<double>(starts.size());
  sum /= count;
  Metrics metrics;
  metrics.error = sum.sum().item<double>();
  metrics.by_step = elements(sum.sum(1));
  for (std::size_t i = 0; i < store_.fields().size(); ++i) {
    const FieldPlanes& planes = store_.planes()[i];
    metrics.more.emplace_back(
        fmt::format("one_step/{}", store_.file().description().fields[store_.fields()[i]].name),
        sum.narrow(1, planes.first, planes.count).sum().item<double>());
  }
  metrics.more.emplace_back("scaled_l2", scaled / count / static_cast<double>(store_.fields().size()));
  return metrics;
}

// Metrics of rollouts, summed over trajectories.
struct FluidTask::Rollouts {
  torch::Tensor error, mass, mass_truth, enstrophy_start, enstrophy, enstrophy_truth, spectrum,
      spectrum_truth;

  // Conversion to and from a row of numbers.
  [[nodiscard]] torch::Tensor row() const {
    std::vector<torch::Tensor> parts;
    for (const torch::Tensor* part : {&error, &mass, &mass_truth, &enstrophy_start, &enstrophy,
                                      &enstrophy_truth, &spectrum, &spectrum_truth}) {
      if (part->defined()) parts.push_back(part->to(torch::kFloat64).view(-1));
    }
    return torch::cat(parts);
  }
  static Rollouts from_row(const torch::Tensor& row, Whole steps, const FlowMeasures& measures) {
    Rollouts all;
    Whole at = 0;
    const auto take = [&](torch::Tensor& part, Whole count) {
      part = row.narrow(0, at, count);
      at += count;
    };
    take(all.error, steps);
    if (measures.has_scalar()) {
      take(all.mass, steps);
      take(all.mass_truth, steps);
    }
    if (measures.has_vector()) {
      take(all.enstrophy_start, 1);
      take(all.enstrophy, steps);
      take(all.enstrophy_truth, steps);
    }
    const Whole wavenumbers = (row.numel() - at) / 2;
    take(all.spectrum, wavenumbers);
    take(all.spectrum_truth, wavenumbers);
    return all;
  }
};

// Rolls out the examples [first, end) as one batch.
FluidTask::Rollouts FluidTask::rollouts_of(Split split, Whole first, Whole end, Whole steps,
                                           const Predictor& predictor) {
  const Normalisation& normal = store_.normalisation();
  std::vector<torch::Tensor> stretches;
  for (Whole i = first; i < end; ++i) {
    stretches.push_back(store_.trajectory(trajectory_of(split, i)).narrow(0, 0, history_ + steps));
  }
  const torch::Tensor stretch = torch::stack(stretches);
  const torch::Tensor target = stretch.narrow(1, history_, steps);
  const torch::Tensor prediction = roll_out(predictor, stretch.narrow(1, 0, history_).contiguous(), steps);
  Rollouts all;
  all.error = squares(prediction - target).sum(0);
  const torch::Tensor start = normal.undo(stretch.narrow(1, history_ - 1, 1));
  const torch::Tensor truth = normal.undo(target), made = normal.undo(prediction);
  if (measures_.has_scalar()) {
    const double scale = normal.scale_of(measures_.scalar_plane());
    const torch::Tensor before = measures_.mass(start);
    all.mass = ((measures_.mass(made) - before) / scale).abs().sum(0);
    all.mass_truth = ((measures_.mass(truth) - before) / scale).abs().sum(0);
  }
  if (measures_.has_vector()) {
    all.enstrophy_start = measures_.enstrophy(start).sum(0);
    all.enstrophy = measures_.enstrophy(made).sum(0);
    all.enstrophy_truth = measures_.enstrophy(truth).sum(0);
  }
  all.spectrum = measures_.spectrum(made.select(1, steps - 1)).sum(0);
  all.spectrum_truth = measures_.spectrum(truth.select(1, steps - 1)).sum(0);
  return all;
}

void FluidTask::add_rollouts(Split split, const Predictor& predictor, Metrics& metrics) {
  const Whole most = frames() - history_;
  const Whole steps = rollout_ == 0 ? most : std::min(rollout_, most);
  const torch::Tensor rows =
      distributed::rows_of_units(group(), (size(split) + kEvaluated - 1) / kEvaluated, [&](Whole unit) {
        const Whole first = unit * kEvaluated, end = std::min(first + kEvaluated, size(split));
        return rollouts_of(split, first, end, steps, predictor).row();
      });
  torch::Tensor row = rows[0].clone();
  for (Whole unit = 1; unit < rows.size(0); ++unit) row += rows[unit];
  const Rollouts all = Rollouts::from_row(row, steps, measures_);
  const auto count = static_cast<double>(size(split));
  const auto curve = [&](const char* name, const torch::Tensor& values) {
    metrics.curves.emplace_back(name, elements(values));
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
  require(split);
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
