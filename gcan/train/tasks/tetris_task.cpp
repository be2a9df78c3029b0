#include "gcan/train/tasks/tetris_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

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

// Trajectories per call of the predictor in an evaluation: enough to be fast, and few enough for networks
// that store features for all 992 pairs of points.
constexpr std::int64_t kEvaluated = 64;

// The requested size of a split; 0 and a message if that is not possible.
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
    problem = fmt::format("data.{} asks for {} trajectories, but '{}' has {}; set it to at most that", name,
                          asked, file.path(), there);
    return 0;
  }
  return asked == 0 ? there : asked;
}

std::string existing(const std::string& file) {
  if (!file.empty()) return file;
  throw Error(
      "data.file is not set; make a file with 'gcan simulate tetris' and give it with --set data.file=FILE");
}

torch::Tensor motions(const std::vector<float>& elements, std::size_t trajectories, int steps) {
  // The tensor is only read until it is copied.
  return torch::from_blob(const_cast<float*>(elements.data()), {static_cast<Whole>(trajectories), 1, steps,
                                                                static_cast<Whole>(tetris::kPoints), 3});
}

// Copies the rows with these indices; index_select() takes a quarter longer.
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

torch::Tensor tetris_fields(const data::TetrisFile& file, Split split, bool velocities, std::size_t count) {
  const data::TetrisSplit read = velocities ? file.read(split, count) : file.read_positions(split, count);
  const int steps = file.options().steps;
  const torch::Tensor positions = motions(read.positions, read.trajectories, steps);
  if (!velocities) return positions.clone();
  return torch::cat({positions, motions(read.velocities, read.trajectories, steps)}, 1);
}

TetrisTask::TetrisTask(const config::Options& data)
    : file_(existing(data.text("file"))),
      steps_in_(data.integer("steps_in")),
      steps_out_(data.integer("steps_out")),
      velocities_(data.flag("velocities")) {
  const int steps = file_.options().steps;
  if (steps_in_ + steps_out_ > steps) {
    throw Error(fmt::format("data.steps_in + data.steps_out is {}, but '{}' has {} steps",
                            steps_in_ + steps_out_, file_.path(), steps));
  }
  for (std::size_t i = 0; i < sizes_.size(); ++i) sizes_[i] = wanted(data, i, file_, problems_[i]);
}

// Peak memory of reading a split, joining its fields, and cutting them into input and target.
void TetrisTask::check_memory(Split split) const {
  const data::TetrisDescription& d = file_.description();
  const double share = static_cast<double>(size(split)) / std::max(1, d.trajectories());
  const double needed = (velocities_ ? 3 : 1.5) * static_cast<double>(d.bytes()) * share;
  const double free = base::free_memory();
  if (needed <= free) return;
  throw Error(fmt::format(
      "reading the split '{}' of '{}' takes up to {} of memory, but {} are free; set data.{} to fewer "
      "trajectories",
      to_string(split), file_.path(), base::size_text(needed), base::size_text(free), to_string(split)));
}

const Batch& TetrisTask::of(Split split) const {
  std::optional<Batch>& kept = splits_[static_cast<std::size_t>(split)];
  if (!kept) {
    check_memory(split);
    const torch::Tensor all =
        tetris_fields(file_, split, velocities_, sizes_[static_cast<std::size_t>(split)]);
    kept = {all.narrow(2, 0, steps_in_).contiguous(), all.narrow(2, steps_in_, steps_out_).contiguous()};
  }
  return *kept;
}

std::int64_t TetrisTask::size(Split split) const {
  return static_cast<Whole>(sizes_[static_cast<std::size_t>(split)]);
}

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
    // A polynomial needs one more position than its degree.
    if (trivial.degree >= of(split).input.size(2)) continue;
    const auto predictor = [&](const torch::Tensor& input) {
      return extrapolated(input, steps, trivial.degree);
    };
    result.emplace_back(trivial.name, evaluate(split, predictor, Depth::full));
  }
  return result;
}

DataRecord TetrisTask::record() const {
  std::uint32_t sum = 0;
  std::string judged;
  for (const Split split : data::kSplits) {
    std::uint32_t own = 0;
    for (const torch::Tensor& part : {of(split).input, of(split).target}) {
      sum = files::crc32(std::as_bytes(elements(part)), sum);
      own = files::crc32(std::as_bytes(elements(part)), own);
    }
    if (size(split) > 0) judged = fmt::format("{:08x}", own);  // of the last split that is not empty
  }
  DataRecord record = outline();
  record.insert(record.begin() + 1, {{"checksum", fmt::format("{:08x}", sum)}, {"judged", judged}});
  return record;
}

DataRecord TetrisTask::outline() const {
  std::vector<std::uint32_t> sums;
  for (const Split split : data::kSplits) {
    const auto count = sizes_[static_cast<std::size_t>(split)];
    const std::vector<std::uint32_t> stored = file_.checksums(split, count);
    sums.push_back(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < stored.size(); i += velocities_ ? 1 : 2) sums.push_back(stored[i]);
  }
  for (const Whole steps : {steps_in_, steps_out_}) sums.push_back(static_cast<std::uint32_t>(steps));
  return {{"file", file_.path()},
          {"stored_checksums",
           fmt::format("{:08x}", files::crc32(std::as_bytes(std::span(std::as_const(sums)))))},
          {"train", size(Split::train)},
          {"valid", size(Split::valid)},
          {"test", size(Split::test)}};
}

}  // namespace gcan::train
