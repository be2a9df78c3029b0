#include "gcan/train/tasks/fluid_task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "gcan/base/error.h"
#include "gcan/base/philox.h"
#include "gcan/base/random.h"
#include "gcan/base/statistics.h"
#include "gcan/files/checksum.h"

namespace gcan::train {
namespace {

using Whole = std::int64_t;

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::string name : config::comma_parts(text)) {
    std::erase(name, ' ');
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

std::string existing(const std::string& file) {
  if (file.empty()) {
    throw Error(
        "data.file is not set; make a file with 'gcan simulate shallow-water' or 'gcan simulate "
        "navier-stokes' and give it with --set data.file=FILE");
  }
  return file;
}

// The median time between frames: in a shallow-water file the first interval is shorter.
double frame_seconds(const std::vector<double>& times) {
  std::vector<double> intervals;
  for (std::size_t i = 1; i < times.size(); ++i) intervals.push_back(times[i] - times[i - 1]);
  return intervals.empty() ? 0 : base::median(intervals);
}

void take_last(std::vector<int>& from, std::vector<int>& to, Whole count) {
  to.assign(from.end() - count, from.end());
  from.erase(from.end() - count, from.end());
}

// The purpose of a random number. Each purpose has separate counters, also from those of the order of visits,
// which uses the same seed.
enum class Draw : std::uint32_t { start = 0x464c4f57, pushforward = 0x50555348, noise = 0x4e4f4953 };

// A random number in [0, count) for a visit of a trajectory.
Whole drawn(const Visit& visit, int trajectory, Whole count, Draw purpose) {
  const auto mark = static_cast<std::uint32_t>(purpose);
  const auto step = static_cast<std::uint64_t>(visit.step);
  const auto bits = base::philox4x32(
      {static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32),
       static_cast<std::uint32_t>(trajectory), mark},
      {static_cast<std::uint32_t>(visit.seed), static_cast<std::uint32_t>(visit.seed >> 32) ^ mark});
  return static_cast<Whole>((std::uint64_t{bits[0]} * static_cast<std::uint64_t>(count)) >> 32);
}

// Normal numbers that belong to the visit of a trajectory, shaped as its frames.
torch::Tensor noise_of(const Visit& visit, int trajectory, const torch::Tensor& frames) {
  const torch::Tensor noise = torch::empty(frames.sizes(), torch::kFloat64);
  const auto mark = static_cast<std::uint64_t>(Draw::noise) << 32;
  base::fill_normals(visit.seed ^ mark,
                     (static_cast<std::uint64_t>(visit.step) << 24) ^ static_cast<std::uint64_t>(trajectory),
                     std::span(noise.data_ptr<double>(), static_cast<std::size_t>(noise.numel())));
  return noise.to(frames.scalar_type());
}

}  // namespace

FluidTask::FluidTask(const config::Options& data)
    : path_(existing(data.text("file"))),
      history_(data.integer("history")),
      future_(data.integer("future")),
      windows_(data.integer("windows")),
      rollout_(data.integer("rollout")),
      unroll_(data.integer("unroll")),
      pushforward_(data.integer("pushforward")),
      noise_(data.number("noise")),
      store_(path_, split_names(data.text("names")), data.integer("memory")),
      measures_(store_.file().description(), store_.planes()) {
  check_fields(data);
  if (history_ + future_ > frames()) {
    throw Error(fmt::format("data.history + data.future is {}, but a trajectory of '{}' has {} frames",
                            history_ + future_, path_, frames()));
  }
  if (const Whole predicted = (pushforward_ + unroll_) * future_; history_ + predicted > frames()) {
    throw Error(fmt::format(
        "data.unroll and data.pushforward ask for {} frames in a row, but a trajectory of '{}' has "
        "{}; lower one of them",
        history_ + predicted, path_, frames()));
  }
  find_splits(data);
  leave_out_failed();
  if (data.text("damaged") == "skip") leave_out_damaged();
  for (const Split split : data::kSplits) take_split(split, data);
  normalise(data.text("normalise"));
  find_checksum();
}

FluidTask::~FluidTask() = default;

// The kinds of the file's fields must be those of the configuration.
void FluidTask::check_fields(const config::Options& data) const {
  std::vector<std::string> kinds, described;
  for (const std::size_t field : store_.fields()) {
    const data::FieldInfo& info = store_.file().description().fields[field];
    kinds.emplace_back(info.components.empty() ? "s" : "v");
    described.push_back(fmt::format("{} ({})", info.name, info.components.empty() ? "scalar" : "vector"));
  }
  if (kinds == split_names(data.text("fields"))) return;
  throw Error(fmt::format(
      "data.fields is \"{}\", but '{}' has {}; set data.fields=\"{}\", or choose and order fields with "
      "data.names",
      data.text("fields"), path_, fmt::join(described, ", "), fmt::join(kinds, ",")));
}

void FluidTask::find_splits(const config::Options& data) {
  const data::Description& d = store_.file().description();
  for (int i = 0; i < d.trajectories(); ++i) {
    splits_[static_cast<std::size_t>(d.split_of(i))].push_back(i);
  }
  for (const Split split : {Split::test, Split::valid}) {
    // A file without own splits: holds out the last trajectories.
    auto& own = splits_[static_cast<std::size_t>(split)];
    const Whole asked = data.integer(to_string(split));
    if (!own.empty() || asked == 0) continue;
    if (asked >= size(Split::train)) {
      problems_[static_cast<std::size_t>(split)] =
          fmt::format("data.{} asks for {} trajectories, but '{}' has only {} to choose from; set it to less",
                      to_string(split), asked, path_, size(Split::train));
      continue;
    }
    take_last(splits_[0], own, asked);
  }
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    const char* name = to_string(static_cast<Split>(i));
    if (splits_[i].empty() || data.integer(name) <= size(static_cast<Split>(i))) continue;
    problems_[i] = fmt::format("data.{} asks for {} trajectories, but '{}' has {}; set it to at most that",
                               name, data.integer(name), path_, splits_[i].size());
    splits_[i].clear();
  }
}

// Limits a split to the requested size, and notes why it is empty.
void FluidTask::take_split(Split split, const config::Options& data) {
  const auto i = static_cast<std::size_t>(split);
  const char* name = to_string(split);
  const Whole asked = data.integer(name);
  if (asked > 0 && asked < size(split)) splits_[i].resize(static_cast<std::size_t>(asked));
  if (!splits_[i].empty() || !problems_[i].empty()) return;
  problems_[i] = fmt::format("'{}' has no trajectories for the split '{}'; simulate them with --{} N", path_,
                             name, name);
  if (split != Split::train) problems_[i] += fmt::format(", or hold some out with --set data.{}=N", name);
}

void FluidTask::require(Split split) const {
  if (size(split) == 0) throw Error(problems_[static_cast<std::size_t>(split)]);
}

void FluidTask::leave_out_failed() {
  for (auto& split : splits_) {
    std::erase_if(split, [&](int number) {
      const std::string failure = store_.file().failure(number);
      if (failure.empty()) return false;
      notes_.push_back(fmt::format("left out: {} of '{}'", failure, path_));
      left_out_.push_back(std::to_string(number));
      return true;
    });
  }
  training_ = splits_[0];
}

void FluidTask::leave_out_damaged() {
  for (auto& split : splits_) {
    std::erase_if(split, [&](int number) {
      try {
        std::ignore = store_.read(number);
        return false;
      } catch (const Error& error) {
        notes_.push_back(fmt::format("left out: {}", error.what()));
        left_out_.push_back(std::to_string(number));
        return true;
      }
    });
  }
  training_ = splits_[0];
}

void FluidTask::normalise(const std::string& how) {
  if (training_.empty()) return;  // a run has stored the constants of its training data
  if (how == "fields") store_.normalise_by(Normalisation::of_fields(store_.planes(), plane_moments()));
  if (how == "public") store_.normalise_by(by_points());
}

// Over all training trajectories of the file, even if fewer are used, so that errors of networks trained on
// more or less data have the same units. Reads the statistics in the file, unless some trajectories are left
// out.
std::vector<data::Moments> FluidTask::plane_moments() const {
  const auto count = static_cast<std::size_t>(store_.plane_count());
  std::vector<data::Moments> planes;
  for (const std::size_t field : store_.fields()) {
    const auto statistics = store_.file().statistics(field);
    if (!statistics || !left_out_.empty()) break;
    for (const data::FieldMoments& component : statistics->components) planes.push_back(component.values);
  }
  if (planes.size() == count) return planes;
  planes.assign(count, {});
  for (const int number : training_) {
    const torch::Tensor frames = store_.read(number).to(torch::kFloat64);
    for (std::size_t i = 0; i < count; ++i) {
      const torch::Tensor plane = frames.select(1, static_cast<Whole>(i));
      const double mean = plane.mean().item<double>();
      planes[i].join(
          {static_cast<double>(plane.numel()), mean, (plane - mean).square().sum().item<double>()});
    }
  }
  return planes;
}

Normalisation FluidTask::by_points() const {
  torch::Tensor sum = torch::zeros({1}, torch::kFloat64), squared = sum;
  for (const int number : training_) {
    const torch::Tensor frames = store_.read(number).to(torch::kFloat64);
    sum = sum + frames.sum(0);
    squared = squared + frames.square().sum(0);
  }
  const auto count = static_cast<double>(training_.size()) * static_cast<double>(frames());
  const torch::Tensor mean = sum / count;
  const torch::Tensor deviation = (squared / count - mean.square()).clamp_min(0).sqrt();
  return Normalisation::of_points(store_.planes(), mean, deviation);
}

void FluidTask::find_checksum() {
  const data::Description& d = store_.file().description();
  std::string text = fmt::format("{} {} {} {}", d.dataset, d.frames(), d.frame_points(), d.trajectories());
  for (const auto& split : splits_) text += fmt::format(" [{}]", fmt::join(split, " "));
  std::uint32_t sum = files::crc32(std::as_bytes(std::span(text)));
  // Includes one trajectory of each split, because reading a whole large file would take too long.
  for (const auto& split : splits_) {
    if (split.empty()) continue;
    const torch::Tensor frames = store_.read(split.front());
    sum = files::crc32(
        std::as_bytes(std::span(frames.data_ptr<float>(), static_cast<std::size_t>(frames.numel()))), sum);
  }
  checksum_ = fmt::format("{:08x}", sum);
  const auto& judged = splits_[splits_[2].empty() ? 1 : 2];
  if (judged.empty()) return;
  const torch::Tensor first = store_.read(judged.front());
  judged_ = fmt::format("{} {:08x}", judged.size(),
                        files::crc32(std::as_bytes(
                            std::span(first.data_ptr<float>(), static_cast<std::size_t>(first.numel())))));
}

void FluidTask::use_constants(const NamedTensors& constants) {
  Normalisation normalisation = store_.normalisation();
  try {
    normalisation.restore(constants);
  } catch (const Error& error) {
    throw Error(fmt::format("'{}': {}", path_, error.what()));
  }
  store_.normalise_by(normalisation);
}

std::int64_t FluidTask::size(Split split) const {
  return static_cast<Whole>(splits_[static_cast<std::size_t>(split)].size());
}

std::int64_t FluidTask::frames() const { return static_cast<Whole>(store_.file().description().frames()); }

int FluidTask::trajectory_of(Split split, std::int64_t example) const {
  return splits_[static_cast<std::size_t>(split)].at(static_cast<std::size_t>(example));
}

// One of an evaluation; in training those with a gradient and, before them, as many without as the visit
// says, the same for all its examples. Without a visit the most there can be.
std::int64_t FluidTask::predictions_of(const Asked& asked) const {
  if (asked.split != Split::train) return 1;
  if (asked.visit.step == 0) return pushforward_ + unroll_;
  return drawn(asked.visit, 0, pushforward_ + 1, Draw::pushforward) + unroll_;
}

std::int64_t FluidTask::start_of(const Asked& asked, std::int64_t index, std::int64_t predicted) const {
  if (asked.split != Split::train || asked.visit.step == 0) return 0;
  return drawn(asked.visit, trajectory_of(asked.split, index), frames() - history_ - predicted + 1,
               Draw::start);
}

Batch FluidTask::make_batch(const Asked& asked) {
  require(asked.split);
  const bool noisy = noise_ > 0 && asked.split == Split::train && asked.visit.step > 0;
  const Whole predicted = predictions_of(asked) * future_;
  std::vector<torch::Tensor> inputs, targets;
  for (const Whole index : asked.indices) {
    const int trajectory = trajectory_of(asked.split, index);
    const torch::Tensor all = store_.trajectory(trajectory);
    const Whole start = start_of(asked, index, predicted);
    const torch::Tensor given = all.narrow(0, start, history_);
    inputs.push_back(noisy ? given + noise_ * noise_of(asked.visit, trajectory, given) : given);
    targets.push_back(all.narrow(0, start + history_, predicted));
  }
  return {torch::stack(inputs), torch::stack(targets)};
}

void FluidTask::expect(Split split, std::span<const std::int64_t> indices, const Visit& visit) {
  expected_ = Asked{split, {indices.begin(), indices.end()}, visit};
  coming_ = std::async(std::launch::async, [this, asked = *expected_] {
    const torch::NoGradGuard no_grad;
    return make_batch(asked);
  });
}

Batch FluidTask::batch(Split split, std::span<const std::int64_t> indices, const Visit& visit) {
  if (expected_ && coming_.valid()) {
    const Asked asked = *std::exchange(expected_, std::nullopt);
    Batch batch = coming_.get();
    if (asked.split == split && asked.visit.seed == visit.seed && asked.visit.step == visit.step &&
        std::ranges::equal(asked.indices, indices)) {
      return batch;
    }
  }
  return make_batch({split, {indices.begin(), indices.end()}, visit});
}

torch::Tensor FluidTask::loss(const torch::Tensor& prediction, const torch::Tensor& target) const {
  return torch::mse_loss(prediction, target) * static_cast<double>(target.size(1) * target.size(2));
}

torch::Tensor FluidTask::training_loss(const Predictor& predictor, const Batch& batch) const {
  const Whole predictions = batch.target.size(1) / future_, first = std::max<Whole>(0, predictions - unroll_);
  torch::Tensor seen = batch.input, sum;
  for (Whole i = 0; i < predictions; ++i) {
    const torch::AutoGradMode with_gradient(i >= first && torch::GradMode::is_enabled());
    const torch::Tensor next = predictor(seen);
    if (i >= first) {
      const torch::Tensor loss_here = loss(next, batch.target.narrow(1, i * future_, future_));
      sum = sum.defined() ? sum + loss_here : loss_here;
    }
    if (i + 1 < predictions) seen = moved_on(seen, next);
  }
  return predictions - first > 1 ? sum / static_cast<double>(predictions - first) : sum;
}

std::int64_t FluidTask::memory() const {
  const data::Description& d = store_.file().description();
  const auto frame = store_.plane_count() * static_cast<Whole>(d.frame_points() * sizeof(float));
  const Whole all = (size(Split::train) + size(Split::valid) + size(Split::test)) * frames() * frame;
  return std::min(all, store_.limit());
}

DataRecord fields_record(const TrajectoryStore& store) {
  const data::Description& d = store.file().description();
  std::vector<std::string> names, units;
  for (const std::size_t field : store.fields()) {
    names.push_back(d.fields[field].name);
    units.push_back(d.fields[field].unit);
  }
  return {{"file", store.file().path()},
          {"dataset", d.dataset},
          {"fields", fmt::format("{}", fmt::join(names, ","))},
          {"units", fmt::format("{}", fmt::join(units, ","))},
          {"axes", fmt::format("{},{}", d.space[0].name, d.space[1].name)},
          {"grid", fmt::format("{} x {}", d.space[0].values.size(), d.space[1].values.size())},
          {"frame_seconds", frame_seconds(d.frame_times)}};
}

DataRecord FluidTask::record() const {
  DataRecord record{{"file", path_},
                    {"checksum", checksum_},
                    {"judged", judged_},
                    {"train", size(Split::train)},
                    {"valid", size(Split::valid)},
                    {"test", size(Split::test)},
                    {"left_out", fmt::format("{}", fmt::join(left_out_, ","))}};
  const DataRecord fields = fields_record(store_);
  record.insert(record.end(), fields.begin() + 1, fields.end());
  return record;
}

}  // namespace gcan::train
