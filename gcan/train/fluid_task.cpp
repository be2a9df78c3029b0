#include "gcan/train/fluid_task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "gcan/algebra/error.h"
#include "gcan/sim/philox.h"
#include "gcan/train/files.h"

namespace gcan::train {
namespace {

using Whole = std::int64_t;

// Stretches per call of the predictor in an evaluation.
constexpr Whole kEvaluated = 8;
constexpr Whole kShortRollout = 5;

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    std::string name = text.substr(from, comma - from);
    std::erase(name, ' ');
    if (!name.empty()) names.push_back(name);
    from = comma + 1;
  }
  return names;
}

std::string existing(const std::string& file) {
  if (file.empty()) {
    throw Error(
        "data.file is not given; make one with 'gcan simulate shallow-water' or 'gcan simulate "
        "navier-stokes' and say --set data.file=FILE");
  }
  return file;
}

void take_last(std::vector<int>& from, std::vector<int>& to, Whole count) {
  to.assign(from.end() - count, from.end());
  from.erase(from.end() - count, from.end());
}

// A number in [0, count) that belongs to the visit of a trajectory. The order of visits uses the same seed
// with counters that have an epoch in their upper half; the mark keeps these apart from them.
Whole drawn(const Visit& visit, int trajectory, Whole count) {
  constexpr std::uint32_t kMark = 0x464c4f57;
  const auto step = static_cast<std::uint64_t>(visit.step);
  const auto bits = sim::philox4x32(
      {static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32),
       static_cast<std::uint32_t>(trajectory), kMark},
      {static_cast<std::uint32_t>(visit.seed), static_cast<std::uint32_t>(visit.seed >> 32) ^ kMark});
  return static_cast<Whole>((std::uint64_t{bits[0]} * static_cast<std::uint64_t>(count)) >> 32);
}

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

std::vector<config::Option> fluid_data_options() {
  return {
      {"file", std::string(), "data file of 'gcan simulate', or another of The Well's layout"},
      {"train", Whole{0}, "training trajectories; 0: all of the file", {}, 0, 1e9},
      {"valid", Whole{0}, "validation trajectories; 0: all of the file", {}, 0, 1e9},
      {"test", Whole{0}, "test trajectories; 0: all of the file", {}, 0, 1e9},
      {"history", Whole{4}, "frames given", {}, 1, 1024},
      {"future", Whole{1}, "frames to predict", {}, 1, 1024},
      {"fields", std::string("s,v"), "kinds of the fields in their order: s a scalar, v a vector"},
      {"names", std::string(), "the fields of the file to use, as \"eta,velocity\"; empty: all"},
      {"normalise",
       std::string("fields"),
       "fields: by means and deviations; public: scalars point by point, vectors raw; none",
       {"fields", "public", "none"}},
      {"windows", Whole{8}, "starts in each trajectory of an evaluation, evenly spread; 0: all", {}, 0, 1e9},
      {"rollout", Whole{0}, "steps of the long rollout; 0: as many as the file has", {}, 0, 1e9},
      {"damaged",
       std::string("fatal"),
       "trajectories that are damaged or not finite: fatal, or skip after reading all once",
       {"fatal", "skip"}},
      {"memory", Whole{2048}, "MiB for trajectories that are kept after they were read", {}, 0, 1e9}};
}

FluidTask::FluidTask(const config::Options& data)
    : path_(existing(data.text("file"))),
      history_(data.whole("history")),
      future_(data.whole("future")),
      windows_(data.whole("windows")),
      rollout_(data.whole("rollout")),
      store_(path_, split_names(data.text("names")), data.whole("memory")),
      measures_(store_.file().description(), store_.planes()) {
  check_fields(data);
  if (history_ + future_ > frames()) {
    throw Error(fmt::format("data.history + data.future is {}, and a trajectory of '{}' has {} frames",
                            history_ + future_, path_, frames()));
  }
  find_splits(data);
  leave_out_failed();
  if (data.text("damaged") == "skip") leave_out_damaged();
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    const char* name = to_string(static_cast<Split>(i));
    if (splits_[i].empty()) {
      throw Error(fmt::format(
          "'{}' has no trajectories for the split '{}'; say how many of a file's to hold out with "
          "data.valid and data.test, or simulate them with --valid and --test",
          path_, name));
    }
    if (const Whole asked = data.whole(name); asked > 0 && asked < size(static_cast<Split>(i))) {
      splits_[i].resize(static_cast<std::size_t>(asked));
    }
  }
  normalise(data.text("normalise"));
  find_checksum();
}

FluidTask::~FluidTask() = default;

// The file's kinds of fields must be the ones that the network was told.
void FluidTask::check_fields(const config::Options& data) const {
  std::vector<std::string> kinds, described;
  for (const std::size_t field : store_.fields()) {
    const data::FieldInfo& info = store_.file().description().fields[field];
    kinds.emplace_back(info.components.empty() ? "s" : "v");
    described.push_back(fmt::format("{} ({})", info.name, info.components.empty() ? "scalar" : "vector"));
  }
  if (kinds == split_names(data.text("fields"))) return;
  throw Error(fmt::format(
      "data.fields is \"{}\", and '{}' gives {}; say data.fields=\"{}\", or choose and order them with "
      "data.names",
      data.text("fields"), path_, fmt::join(described, ", "), fmt::join(kinds, ",")));
}

void FluidTask::find_splits(const config::Options& data) {
  const data::Description& d = store_.file().description();
  for (int i = 0; i < d.trajectories(); ++i) {
    splits_[static_cast<std::size_t>(d.split_of(i))].push_back(i);
  }
  for (const Split split : {Split::test, Split::valid}) {
    // A file without splits of its own: the last ones are held out.
    auto& own = splits_[static_cast<std::size_t>(split)];
    const Whole asked = data.whole(to_string(split));
    if (!own.empty() || asked == 0) continue;
    if (asked >= size(Split::train)) {
      throw Error(fmt::format("data.{} asks for {} trajectories, and '{}' has {} to take them from",
                              to_string(split), asked, path_, size(Split::train)));
    }
    take_last(splits_[0], own, asked);
  }
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    const char* name = to_string(static_cast<Split>(i));
    if (data.whole(name) <= size(static_cast<Split>(i))) continue;
    throw Error(fmt::format("data.{} asks for {} trajectories, and '{}' has {}", name, data.whole(name),
                            path_, splits_[i].size()));
  }
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
  if (how == "none") return;
  const data::WellReader& file = store_.file();
  std::vector<data::Moments> planes;
  // What the writer noted of all training trajectories, whatever part of them is used: errors of networks
  // with more and less data are in the same units.
  for (const std::size_t field : store_.fields()) {
    const auto statistics = file.statistics(field);
    if (!statistics || !left_out_.empty()) break;
    for (const data::FieldMoments& component : statistics->components) planes.push_back(component.values);
  }
  const auto count = static_cast<std::size_t>(store_.plane_count());
  const bool known = planes.size() == count;
  if (how == "fields" && known) {
    return store_.normalise_by(Normalisation::of_fields(store_.planes(), planes));
  }
  planes.assign(count, {});
  torch::Tensor sum, squared;
  double frames_read = 0;
  for (const int number : training_) {
    const torch::Tensor frames = store_.read(number).to(torch::kFloat64);
    for (std::size_t i = 0; i < count; ++i) {
      const torch::Tensor plane = frames.select(1, static_cast<Whole>(i));
      const double mean = plane.mean().item<double>();
      planes[i].join(
          {static_cast<double>(plane.numel()), mean, (plane - mean).square().sum().item<double>()});
    }
    frames_read += static_cast<double>(frames.size(0));
    const torch::Tensor added = frames.sum(0), squares_added = frames.square().sum(0);
    sum = sum.defined() ? sum + added : added;
    squared = squared.defined() ? squared + squares_added : squares_added;
  }
  if (how == "fields") return store_.normalise_by(Normalisation::of_fields(store_.planes(), planes));
  const torch::Tensor mean = sum / frames_read;
  const torch::Tensor deviation = (squared / frames_read - mean.square()).clamp_min(0).sqrt();
  store_.normalise_by(Normalisation::of_points(store_.planes(), mean, deviation));
}

void FluidTask::find_checksum() {
  const data::Description& d = store_.file().description();
  std::string text = fmt::format("{} {} {} {}", d.dataset, d.frames(), d.frame_points(), d.trajectories());
  for (const auto& split : splits_) text += fmt::format(" [{}]", fmt::join(split, " "));
  std::uint32_t sum = crc32(std::as_bytes(std::span(text)));
  // One trajectory of each split stands for all, so that starting does not read a whole large file.
  for (const auto& split : splits_) {
    const torch::Tensor frames = store_.read(split.front());
    sum = crc32(std::as_bytes(std::span(frames.data_ptr<float>(), static_cast<std::size_t>(frames.numel()))),
                sum);
  }
  checksum_ = fmt::format("{:08x}", sum);
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

std::int64_t FluidTask::start_of(const Asked& asked, std::int64_t index) const {
  if (asked.split != Split::train || asked.visit.step == 0) return 0;
  return drawn(asked.visit, trajectory_of(asked.split, index), frames() - history_ - future_ + 1);
}

Batch FluidTask::make_batch(const Asked& asked) {
  std::vector<torch::Tensor> inputs, targets;
  for (const Whole index : asked.indices) {
    const torch::Tensor all = store_.trajectory(trajectory_of(asked.split, index));
    const Whole start = start_of(asked, index);
    inputs.push_back(all.narrow(0, start, history_));
    targets.push_back(all.narrow(0, start + history_, future_));
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

std::vector<std::pair<std::string, config::Value>> FluidTask::record() const {
  std::vector<std::string> names;
  for (const std::size_t field : store_.fields()) {
    names.push_back(store_.file().description().fields[field].name);
  }
  return {{"file", path_},
          {"checksum", checksum_},
          {"train", size(Split::train)},
          {"valid", size(Split::valid)},
          {"test", size(Split::test)},
          {"fields", fmt::format("{}", fmt::join(names, ","))},
          {"left_out", fmt::format("{}", fmt::join(left_out_, ","))}};
}

}  // namespace gcan::train
