#include "gcan/train/file_prediction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "gcan/base/error.h"
#include "gcan/data/exchange.h"
#include "gcan/data/file_names.h"
#include "gcan/data/tetris_file.h"
#include "gcan/train/data_check.h"
#include "gcan/train/loop/optimizer.h"
#include "gcan/train/loop/together.h"
#include "gcan/train/tasks/fluid_task.h"
#include "gcan/train/tasks/tetris_task.h"

namespace gcan::train {
namespace {

namespace fs = std::filesystem;
using Whole = std::int64_t;
using Wanted = FilePredictionOptions;
using Listener = FilePredictionObserver;

constexpr Whole kAtOnce = 8;  // windows or trajectories per call of the network

std::vector<data::Parameter> provenance(const Wanted& o, const Loaded& loaded) {
  return {{"predicted-from", data::absolute_names(o.file), "1"},
          {"run", fs::absolute(o.run).lexically_normal().string(), "1"},
          {"network", loaded.config.network().title, "1"},
          {"checkpoint", std::string(to_string(o.checkpoint)), "1"},
          {"trained-steps", loaded.step, "1"},
          {"weights", checksum_of(weights_of(*loaded.network)), "1"},
          {"mode", std::string(o.steps == 0 ? "one step" : "rollout"), "1"},
          {"rollout-steps", o.steps, "1"},
          {"start", o.start, "1"}};
}

// --- fields ---

// Predicts fields; ignores the splits of the file.
class FieldPredictor {
 public:
  FieldPredictor(const Wanted& options, const Loaded& loaded, const Listener& observer)
      : o_(options), loaded_(loaded), store_(options.file, field_names(), 0) {
    for (const std::string& sentence : check_data(o_.run, fields_record(store_))) {
      if (observer.note) observer.note(sentence);
    }
    Normalisation normal = store_.normalisation();
    normal.restore(run_constants(o_.run));
    store_.normalise_by(normal);
    history_ = loaded_.config.data.integer("history");
    check_stretch();
    choose(observer);
  }

  [[nodiscard]] data::Description description() const {
    const data::Description& source = store_.file().description();
    data::Description d = source;
    d.fields.clear();
    for (const std::size_t field : store_.fields()) d.fields.push_back(source.fields[field]);
    d.failure_names.clear();
    for (const data::FieldInfo& field : d.fields) d.failure_names.push_back(field.name);
    d.frame_times = times();
    d.frame_steps.clear();
    for (Whole i = 0; i < count(); ++i) d.frame_steps.push_back(static_cast<std::int32_t>(i));
    d.splits = {};
    for (const int i : chosen_) ++d.splits[static_cast<std::size_t>(source.split_of(i))];
    d.start_names = {"source_trajectory"};
    d.options = provenance(o_, loaded_);
    d.options.push_back({"trajectories", fmt::format("{}", fmt::join(chosen_, ",")), "1"});
    return d;
  }

  [[nodiscard]] Whole count() const { return o_.steps > 0 ? o_.steps : frames() - history_ + 1; }

  // Predictions for the chosen trajectories with these indices, (frames, planes, H, W) in the file's units.
  std::vector<torch::Tensor> predictions(std::span<const int> places) {
    const torch::NoGradGuard no_grad;
    const Predictor network = [&](const torch::Tensor& x) { return loaded_.predict(x); };
    std::vector<torch::Tensor> all;
    for (const int place : places) all.push_back(store_.trajectory(source(place)));
    std::vector<torch::Tensor> result;
    if (o_.steps > 0) {
      const torch::Tensor given = torch::stack(all).narrow(1, o_.start, history_).contiguous();
      const torch::Tensor made = store_.normalisation().undo(roll_out(network, given, o_.steps));
      for (Whole i = 0; i < made.size(0); ++i) result.push_back(made[i]);
      return result;
    }
    for (const torch::Tensor& one : all)
      result.push_back(store_.normalisation().undo(each_next(network, one)));
    return result;
  }

  // Converts a prediction to the file's layout and marks the first non-finite frame.
  data::Trajectory trajectory(const torch::Tensor& made, int place) const {
    data::Trajectory result;
    result.start = {static_cast<double>(source(place))};
    const auto& planes = store_.planes();
    for (std::size_t f = 0; f < planes.size(); ++f) {
      torch::Tensor field = stored_form(made.narrow(1, planes[f].first, planes[f].count));
      const torch::Tensor finite = torch::isfinite(field).flatten(1).all(1).to(torch::kInt64);
      if (const auto first = static_cast<int>(finite.argmin().item<Whole>());
          finite[first].item<Whole>() == 0 && (result.failed_step < 0 || first < result.failed_step)) {
        result.failed_step = first;
        result.failed_field = store_.file().description().fields[store_.fields()[f]].name;
      }
      const float* elements = field.data_ptr<float>();
      result.fields.emplace_back(elements, elements + field.numel());
    }
    return result;
  }

  [[nodiscard]] int source(int place) const { return chosen_[static_cast<std::size_t>(place)]; }

 private:
  [[nodiscard]] std::vector<std::string> field_names() const {
    std::string names = recorded(o_.run, "fields");
    if (names.empty()) names = loaded_.config.data.text("names");
    std::vector<std::string> parts = config::comma_parts(names);
    std::erase(parts, "");
    return parts;
  }

  [[nodiscard]] Whole frames() const { return static_cast<Whole>(store_.file().description().frames()); }

  void check_stretch() const {
    if (o_.start < 0 || o_.steps < 0 || o_.start + history_ > frames()) {
      throw Error(fmt::format("'{}' has {} frames, but the network needs {} from frame {} on", o_.file,
                              frames(), history_, o_.start));
    }
  }

  void choose(const Listener& observer) {
    const data::WellReader& file = store_.file();
    const data::Description& d = file.description();
    std::vector<int> asked = o_.trajectories;
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    for (int i = 0; o_.trajectories.empty() && i < d.trajectories(); ++i) asked.push_back(i);
    for (const int i : asked) {
      const std::string failure = file.failure(i);  // Error for an invalid index
      if (o_.split && d.split_of(i) != *o_.split) continue;
      if (failure.empty()) chosen_.push_back(i);
      if (!failure.empty() && observer.note)
        observer.note(fmt::format("left out: {} of '{}'", failure, o_.file));
    }
    if (chosen_.empty())
      throw Error(fmt::format("'{}' has no complete trajectory among the chosen ones", o_.file));
  }

  // Extrapolates the frame interval beyond the end of the file.
  [[nodiscard]] std::vector<double> times() const {
    const std::vector<double>& known = store_.file().description().frame_times;
    const double interval = known.size() > 1 ? known.back() - known[known.size() - 2] : 1;
    std::vector<double> result;
    for (Whole i = 0; i < count(); ++i) {
      const auto at = static_cast<std::size_t>((o_.steps > 0 ? o_.start : 0) + history_ + i);
      const auto beyond = at < known.size() ? 0 : at - known.size() + 1;
      result.push_back(beyond == 0 ? known[at] : known.back() + interval * static_cast<double>(beyond));
    }
    return result;
  }

  // Predicts every frame from the true frames before it.
  torch::Tensor each_next(const Predictor& network, const torch::Tensor& all) const {
    std::vector<torch::Tensor> made;
    for (Whole first = 0; first < count(); first += kAtOnce) {
      std::vector<torch::Tensor> windows;
      for (Whole i = first; i < std::min(first + kAtOnce, count()); ++i)
        windows.push_back(all.narrow(0, i, history_));
      made.push_back(network(torch::stack(windows)).select(1, 0));
    }
    return torch::cat(made);
  }

  const Wanted& o_;
  const Loaded& loaded_;
  TrajectoryStore store_;
  Whole history_ = 0;
  std::vector<int> chosen_;
};

std::string failure_sentence(const data::Trajectory& data, int source) {
  if (data.failed_step < 0) return "";
  return fmt::format("the prediction of trajectory {} is not finite from frame {} on, first in '{}'", source,
                     data.failed_step, data.failed_field);
}

// Writes into `name`; a stopped run resumes.
FilePrediction write_fields(FieldPredictor& predictor, const std::string& name, const Listener& observer) {
  const data::Description d = predictor.description();
  FilePrediction result{false, d.trajectories(), predictor.count(), {}};
  if (data::already_written(name, d)) {
    result.was_there = true;
    return result;
  }
  data::WellWriter writer(name, d, false);
  const std::vector<int> missing = writer.missing();
  if (observer.begin) observer.begin(d.trajectories(), d.trajectories() - static_cast<Whole>(missing.size()));
  for (std::size_t first = 0; first < missing.size(); first += kAtOnce) {
    const auto places =
        std::span(missing).subspan(first, std::min<std::size_t>(kAtOnce, missing.size() - first));
    const std::vector<torch::Tensor> made = predictor.predictions(places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const data::Trajectory data = predictor.trajectory(made[i], places[i]);
      const std::string failure = failure_sentence(data, predictor.source(places[i]));
      if (!failure.empty()) result.failures.push_back(failure);
      writer.write(places[i], data);
      if (observer.trajectory) observer.trajectory(failure);
    }
  }
  if (writer.complete() == 0) {
    writer.discard();
    throw Error(fmt::format("'{}' was not written, because no prediction is finite; {}", name,
                            result.failures.empty() ? "" : result.failures.front()));
  }
  writer.finish();
  return result;
}

FilePrediction predict_fields(const Wanted& options, const Loaded& loaded, const Listener& observer) {
  const bool netcdf = fs::path(options.out).extension() == ".nc";
  std::error_code ignored;
  if (netcdf && fs::exists(options.out, ignored)) {
    throw Error(fmt::format("'{}' exists already; remove it or choose another --out", options.out));
  }
  FieldPredictor predictor(options, loaded, observer);
  if (!netcdf) return write_fields(predictor, options.out, observer);
  const std::string beside = options.out + ".h5";
  const FilePrediction result = write_fields(predictor, beside, observer);
  export_file(data::WellReader(beside), data::Format::kNetcdf, options.out);
  fs::remove(beside, ignored);
  return result;
}

// --- Tetris ---

std::vector<float> elements_of(const torch::Tensor& tensor) {
  const torch::Tensor row = tensor.contiguous();
  return {row.data_ptr<float>(), row.data_ptr<float>() + row.numel()};
}

// Differences between successive positions; the last one is repeated.
torch::Tensor differences(const torch::Tensor& positions, const torch::Tensor& before) {
  const torch::Tensor all = torch::cat({before, positions}, 1);
  const torch::Tensor steps = all.narrow(1, 1, positions.size(1)) - all.narrow(1, 0, positions.size(1));
  const Whole count = steps.size(1);
  return torch::cat({steps.narrow(1, 1, count - 1), steps.narrow(1, count - 1, 1)}, 1);
}

data::TetrisSplit predicted_split(const Loaded& loaded, const torch::Tensor& input, Whole steps) {
  const torch::NoGradGuard no_grad;
  data::TetrisSplit result{static_cast<std::size_t>(input.size(0)), {}, {}};
  for (Whole first = 0; first < input.size(0); first += kAtOnce * 8) {
    const torch::Tensor given = input.narrow(0, first, std::min(kAtOnce * 8, input.size(0) - first));
    const torch::Tensor made =
        roll_out([&](const torch::Tensor& x) { return loaded.predict(x); }, given.contiguous(), steps, 2);
    if (!torch::isfinite(made).all().item<bool>()) {
      throw Error(fmt::format("the prediction is not finite for some of the trajectories {} to {}", first,
                              first + given.size(0) - 1));
    }
    const torch::Tensor positions = made.select(1, 0);
    const torch::Tensor velocities =
        made.size(1) > 1 ? made.select(1, 1)
                         : differences(positions, given.select(1, 0).narrow(1, given.size(2) - 1, 1));
    for (const auto& [from, to] :
         {std::pair(positions, &result.positions), {velocities, &result.velocities}}) {
      const std::vector<float> elements = elements_of(from);
      to->insert(to->end(), elements.begin(), elements.end());
    }
  }
  return result;
}

FilePrediction predict_tetris(const Wanted& options, const Loaded& loaded, const Listener& observer) {
  if (options.start != 0 || !options.trajectories.empty()) {
    throw Error(
        fmt::format("--start and --trajectories are for fluid runs, but '{}' is a Tetris run", options.run));
  }
  const data::TetrisFile file(options.file);
  const config::Options& data = loaded.config.data;
  const Whole given = data.integer("steps_in");
  const Whole steps = options.steps > 0 ? options.steps : data.integer("steps_out");
  if (given > file.options().steps) {
    throw Error(fmt::format("'{}' has {} steps, but the network needs {}", options.file, file.options().steps,
                            given));
  }
  data::TetrisDescription d = file.description();
  d.options.steps = static_cast<int>(steps);
  d.more = provenance(options, loaded);
  for (const Split split : data::kSplits) {
    if (options.split && split != *options.split) d.splits[static_cast<std::size_t>(split)] = 0;
  }
  FilePrediction result{false, d.trajectories(), steps, {}};
  if (d.trajectories() == 0)
    throw Error(fmt::format("'{}' has no trajectory among the chosen ones", options.file));
  if (data::already_written(options.out, d)) {
    result.was_there = true;
    return result;
  }
  data::TetrisWriter writer(options.out, d, false);
  if (observer.begin) observer.begin(d.trajectories(), 0);
  for (const Split split : data::kSplits) {
    if (d.splits[static_cast<std::size_t>(split)] == 0) continue;
    const torch::Tensor motions = tetris_fields(file, split, data.flag("velocities"));
    const data::TetrisSplit made = predicted_split(loaded, motions.narrow(2, 0, given), steps);
    writer.write(split, 0, made);
    for (std::size_t i = 0; observer.trajectory && i < made.trajectories; ++i) observer.trajectory("");
  }
  writer.finish();
  return result;
}

}  // namespace

FilePrediction predict_file(const FilePredictionOptions& options, const FilePredictionObserver& observer) {
  const Loaded loaded = load(options.run, options.checkpoint, options.device);
  if (loaded.config.data_kind == "fluid") return predict_fields(options, loaded, observer);
  return predict_tetris(options, loaded, observer);
}

}  // namespace gcan::train
