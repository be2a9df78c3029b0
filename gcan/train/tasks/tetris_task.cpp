#include "gcan/train/tasks/tetris_task.h"

#include <fmt/format.h>

#include "gcan/base/error.h"
#include "gcan/base/human.h"
#include "gcan/base/memory.h"
#include "gcan/distributed/group.h"
#include "gcan/files/checksum.h"
#include "gcan/sim/tetris/predictors.h"
#include "gcan/sim/tetris/shapes.h"

namespace gcan::train {
namespace {

using Whole = std::int64_t;
namespace tetris = sim::tetris;

// Trajectories per call of the predictor in an evaluation: enough to be fast, and little enough for networks
// that hold numbers for all 992 pairs of points.
constexpr std::int64_t kEvaluated = 64;

// How many of a split; 0 with a sentence where that is not possible.
std::size_t wanted(const config::Options& options, std::size_t split, const data::TetrisFile& file,
                   std::string& problem) {
  const auto asked = static_cast<std::size_t>(options.integer(to_string(static_cast<Split>(split))));
  const std::size_t there = file.trajectories(data::kSplits[split]);
  const std::string name = to_string(static_cast<Split>(split));
  if (there == 0) {
    problem = fmt::format(
        "'{}' has no trajectories in the split '{}'; make one with 'gcan simulate tetris --{} 1024'",
        file.path(), name, name);
    return 0;
  }
  if (asked > there) {
    problem = fmt::format("data.{} asks for {} trajectories, and '{}' has {}; set it to at most that", name,
                          asked, file.path(), there);
    return 0;
  }
  return asked == 0 ? there : asked;
}

torch::Tensor motions(const std::vector<float>& elements, std::size_t trajectories, int steps) {
  // The tensor is only read from until it is copied into the one of the task.
  return torch::from_blob(const_cast<float*>(elements.data()), {static_cast<Whole>(trajectories), 1, steps,
                                                                static_cast<Whole>(tetris::kPoints), 3});
}

// The rows of these indices, by copies of whole rows: index_select() takes a quarter longer.
torch::Tensor rows_of(const torch::Tensor& all, std::span<const std::int64_t> indices) {
  std::vector<Whole> sizes = all.sizes().vec();
  const std::int64_t count = sizes[0], row = count > 0 ? all.numel() / count : 0;
  sizes[0] = static_cast<Whole>(indices.size());
  torch::Tensor rows = torch::empty(sizes, all.options());
  float* to = rows.data_ptr<float>();
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= count) {
      throw Error(fmt::format("there is no trajectory {} among {}", index, count));
    }
    to = std::copy_n(all.data_ptr<float>() + index * row, row, to);
  }
  return rows;
}

std::span<const float> elements(const torch::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

torch::Tensor extrapolated(const torch::Tensor& input, std::int64_t steps, int degree) {
  const tetris::MotionShape shape{static_cast<std::size_t>(input.size(0)),
                                  static_cast<std::size_t>(input.size(2)),
                                  static_cast<std::size_t>(input.size(3))};
  const torch::Tensor positions = input.select(1, 0).contiguous();
  const auto out = static_cast<int>(steps);
  if (input.size(1) == 1) {
    const auto next =
        tetris::extrapolate(elements(positions), shape, static_cast<std::size_t>(steps), degree);
    return motions(next, shape.trajectories, out).clone();
  }
  const torch::Tensor velocities = input.select(1, 1).contiguous();
  const auto next = tetris::extrapolate(elements(positions), elements(velocities), shape,
                                        static_cast<std::size_t>(steps), degree);
  return torch::cat(
      {motions(next.positions, shape.trajectories, out), motions(next.velocities, shape.trajectories, out)},
      1);
}

}  // namespace

torch::Tensor tetris_fields(const data::TetrisSplit& split, int steps, bool velocities) {
  const torch::Tensor positions = motions(split.positions, split.trajectories, steps);
  if (!velocities) return positions.clone();
  return torch::cat({positions, motions(split.velocities, split.trajectories, steps)}, 1);
}

TetrisTask::TetrisTask(const config::Options& data) : file_(data.text("file")) {
  if (file_.empty()) {
    throw Error("data.file is not given; make one with 'gcan simulate tetris' and say --set data.file=FILE");
  }
  const data::TetrisFile file(file_);
  const int steps = file.options().steps;
  const Whole in = data.integer("steps_in"), out = data.integer("steps_out");
  if (in + out > steps) {
    throw Error(
        fmt::format("data.steps_in + data.steps_out is {}, and '{}' has {} steps", in + out, file_, steps));
  }
  // Read, joined, and split into input and target.
  if (const double needed = 3 * static_cast<double>(file.description().bytes());
      needed > base::free_memory()) {
    throw Error(
        fmt::format("reading '{}' takes up to {} of memory, and {} are free; simulate fewer trajectories",
                    file_, base::size_text(needed), base::size_text(base::free_memory())));
  }
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    const data::TetrisSplit split = file.read(data::kSplits[i], wanted(data, i, file, problems_[i]));
    const torch::Tensor all = tetris_fields(split, steps, data.flag("velocities"));
    splits_[i] = {all.narrow(2, 0, in).contiguous(), all.narrow(2, in, out).contiguous()};
    std::uint32_t own = 0;
    for (const torch::Tensor& part : {splits_[i].input, splits_[i].target}) {
      sum = files::crc32(std::as_bytes(elements(part)), sum);
      own = files::crc32(std::as_bytes(elements(part)), own);
    }
    if (size(static_cast<Split>(i)) > 0) judged_ = fmt::format("{:08x}", own);  // of the last one there is
  }
  checksum_ = fmt::format("{:08x}", sum);
}

std::int64_t TetrisTask::size(Split split) const { return of(split).input.size(0); }

void TetrisTask::require(Split split) const {
  if (size(split) == 0) throw Error(problems_[static_cast<std::size_t>(split)]);
}

Batch TetrisTask::batch(Split split, std::span<const std::int64_t> indices, const Visit& /*visit*/) {
  require(split);
  return {rows_of(of(split).input, indices), rows_of(of(split).target, indices)};
}

torch::Tensor TetrisTask::loss(const torch::Tensor& prediction, const torch::Tensor& target) const {
  const auto summed = static_cast<double>(target.size(1) * target.size(2) * target.size(4));
  return torch::mse_loss(prediction, target) * summed;
}

Metrics TetrisTask::evaluate(Split split, const Predictor& predictor, Depth /*depth*/) {
  require(split);
  const torch::NoGradGuard no_grad;
  const Batch& all = of(split);
  const std::int64_t units = (size(split) + kEvaluated - 1) / kEvaluated;
  const torch::Tensor rows = distributed::rows_of_units(group(), units, [&](std::int64_t unit) {
    const std::int64_t first = unit * kEvaluated, count = std::min(kEvaluated, size(split) - first);
    const torch::Tensor error =
        predictor(all.input.narrow(0, first, count)) - all.target.narrow(0, first, count);
    return error.square().sum({0, 1, 3, 4}, false, torch::kFloat64);
  });
  torch::Tensor squares = torch::zeros({all.target.size(2)}, torch::kFloat64);
  for (std::int64_t unit = 0; unit < units; ++unit) squares += rows[unit];
  squares /= static_cast<double>(size(split) * all.target.size(3));
  Metrics metrics;
  metrics.by_step.assign(squares.data_ptr<double>(), squares.data_ptr<double>() + squares.numel());
  metrics.error = squares.sum().item<double>();
  return metrics;
}

std::vector<std::pair<std::string, Metrics>> TetrisTask::trivial(Split split) {
  std::vector<std::pair<std::string, Metrics>> result;
  const std::int64_t steps = of(split).target.size(2);
  for (const tetris::TrivialPredictor& trivial : tetris::trivial_predictors()) {
    // A polynomial needs a position more than its degree.
    if (trivial.degree >= of(split).input.size(2)) continue;
    const auto predictor = [&](const torch::Tensor& input) {
      return extrapolated(input, steps, trivial.degree);
    };
    result.emplace_back(trivial.name, evaluate(split, predictor, Depth::full));
  }
  return result;
}

DataRecord TetrisTask::record() const {
  return {{"file", file_},
          {"checksum", checksum_},
          {"judged", judged_},
          {"train", size(Split::train)},
          {"valid", size(Split::valid)},
          {"test", size(Split::test)}};
}

}  // namespace gcan::train
