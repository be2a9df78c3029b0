#include "gcan/experiments/fluid_prediction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gcan/base/error.h"
#include "gcan/base/spelling.h"
#include "gcan/train/data_check.h"
#include "gcan/train/tasks/flow_measures.h"
#include "gcan/train/tasks/fluid_rollout.h"

namespace gcan::experiments {
namespace {

// A field or component to draw.
struct Shown {
  std::string name, unit;
  std::int64_t plane = 0;
  std::size_t numbers = 1;
};

// Fields, then components of vectors, by their names in the file.
std::vector<Shown> all_shown(const train::FluidRollout& rollout) {
  std::vector<Shown> fields, components;
  std::int64_t plane = 0;
  while (plane < static_cast<std::int64_t>(rollout.planes.size())) {
    const train::FluidPlane& first = rollout.planes[static_cast<std::size_t>(plane)];
    Shown field{first.name, first.unit, plane, 1};
    for (const data::FieldInfo& info : rollout.description.fields) {
      if (info.components.empty() || first.name != info.name + " " + info.components.front()) continue;
      field.name = info.name;
      field.numbers = info.components.size();
      for (std::size_t c = 0; c < info.components.size(); ++c)
        components.push_back({info.components[c], info.unit, plane + static_cast<std::int64_t>(c), 1});
    }
    fields.push_back(field);
    plane += static_cast<std::int64_t>(field.numbers);
  }
  fields.insert(fields.end(), components.begin(), components.end());
  return fields;
}

Shown shown_named(const train::FluidRollout& rollout, const std::string& name, const std::string& run) {
  std::vector<std::string> known;
  for (const Shown& shown : all_shown(rollout)) {
    if (shown.name == name) return shown;
    known.push_back(shown.name);
  }
  const std::string meant = base::nearest(name, known);
  throw Error(fmt::format("the run '{}' predicts no field '{}'; {}use {}", run, name,
                          meant.empty() ? "" : fmt::format("did you mean '{}'? ", meant),
                          fmt::join(known, ", ")));
}

std::vector<std::string> names_of(const std::string& text, const train::FluidRollout& rollout) {
  std::vector<std::string> names = config::comma_parts(text);
  std::erase(names, "");
  if (!names.empty()) return names;
  std::size_t planes = 0;
  for (const Shown& shown : all_shown(rollout)) {
    if (planes == rollout.planes.size()) break;  // components follow
    names.push_back(shown.name);
    planes += shown.numbers;
  }
  return names;
}

// (frames, planes, H, W) -> the numbers of a field, frame by frame
std::vector<report::FieldFrame> frames_of(const torch::Tensor& frames, const Shown& shown) {
  std::vector<report::FieldFrame> result;
  for (std::int64_t i = 0; i < frames.size(0); ++i) {
    const torch::Tensor frame =
        frames[i].narrow(0, shown.plane, static_cast<std::int64_t>(shown.numbers)).contiguous();
    result.emplace_back(frame.data_ptr<float>(), frame.data_ptr<float>() + frame.numel());
  }
  return result;
}

bool same_target(const torch::Tensor& a, const torch::Tensor& b) {
  // Normalised and back again, numbers differ in their last digits.
  return a.sizes() == b.sizes() && torch::allclose(a, b, 1e-4, 1e-4 * a.abs().max().item<double>() + 1e-30);
}

std::int64_t history_of(const std::string& run) {
  const train::Config config = train::run_config(run);
  if (config.data_kind == "fluid") return config.data.integer("history");
  throw Error(fmt::format("'{}' is a run on data of kind '{}'; only fields of 'fluid' runs can be drawn", run,
                          config.data_kind));
}

// All runs predict the same first step, which the longest history determines.
std::vector<train::FluidRollout> roll_all(const std::vector<std::string>& runs, std::int64_t history,
                                          const FluidPredictionOptions& options) {
  const train::Config first = train::run_config(runs.front());
  if (options.data_file.empty()) train::check_data_file(runs.front(), first, "--data FILE");
  const std::string file = options.data_file.empty() ? first.data.text("file") : options.data_file;
  std::int64_t steps = options.steps;
  if (steps == 0) {
    const data::WellReader reader(file);
    const auto frames = static_cast<std::int64_t>(reader.description().frames());
    steps = std::clamp<std::int64_t>(frames - history - options.start, 1, options.most_steps);
  }
  std::vector<train::FluidRollout> rollouts;
  rollouts.reserve(runs.size());
  for (const std::string& run : runs) {
    rollouts.push_back(train::roll_out(run, options.checkpoint, options.split, options.index,
                                       options.start + history - history_of(run), steps, file,
                                       options.device));
  }
  return rollouts;
}

// The same field of another run, checked to have the same truth.
Shown same_field(const train::FluidRollout& first, const Shown& wanted, const train::FluidRollout& other,
                 const std::string& run) {
  Shown found = shown_named(other, wanted.name, run);
  const auto target = [](const train::FluidRollout& r, const Shown& s) {
    return r.target.narrow(1, s.plane, static_cast<std::int64_t>(s.numbers));
  };
  if (found.numbers == wanted.numbers && same_target(target(first, wanted), target(other, found)))
    return found;
  throw Error(
      fmt::format("the run '{}' has another truth for '{}' than the first run; use runs on the same splits "
                  "of the same data",
                  run, wanted.name));
}

// By time: by wavenumber.
std::vector<std::vector<double>> rows_of(const torch::Tensor& spectra) {
  const torch::Tensor numbers = spectra.to(torch::kDouble).contiguous();
  std::vector<std::vector<double>> rows;
  for (std::int64_t i = 0; i < numbers.size(0); ++i) {
    const double* row = numbers.data_ptr<double>() + i * numbers.size(1);
    rows.emplace_back(row, row + numbers.size(1));
  }
  return rows;
}

train::FlowMeasures measures_of(const train::FluidRollout& rollout) {
  std::vector<train::FieldPlanes> planes;
  std::int64_t next = 0;
  for (const Shown& shown : all_shown(rollout)) {
    if (shown.plane != next) break;  // components follow
    planes.push_back({shown.plane, static_cast<std::int64_t>(shown.numbers)});
    next += static_cast<std::int64_t>(shown.numbers);
  }
  return {rollout.description, planes};
}

void add_spectra(const std::vector<train::FluidRollout>& rollouts, report::FieldsView& view) {
  for (const train::FluidRollout& rollout : rollouts) {
    const train::FlowMeasures measures = measures_of(rollout);
    if (!measures.has_vector() && !measures.has_scalar()) return;
    view.spectrum_name = measures.has_vector() ? "kinetic energy" : "half the squared amplitude";
    if (view.target_spectra.empty()) view.target_spectra = rows_of(measures.spectrum(rollout.target));
    view.spectra.push_back(rows_of(measures.spectrum(rollout.prediction)));
  }
}

std::int64_t longest_history(const std::vector<std::string>& runs) {
  if (runs.empty()) throw Error("a rollout needs at least one run");
  std::int64_t history = 1;
  for (const std::string& run : runs) history = std::max(history, history_of(run));
  return history;
}

report::FieldRollout fields_of(const std::vector<std::string>& runs,
                               const std::vector<train::FluidRollout>& rollouts, std::int64_t history,
                               const FluidPredictionOptions& options) {
  const train::FluidRollout& first = rollouts.front();
  report::FieldRollout result{first.description, {}, first.times, {}, {}};
  const auto predicted = first.description.frame_times.begin() + options.start + history;
  result.input_times.assign(predicted - first.input.size(0), predicted);
  for (const train::FluidRollout& rollout : rollouts) result.networks.push_back(rollout.model);
  for (const std::string& name : names_of(options.fields, first)) {
    const Shown shown = shown_named(first, name, runs.front());
    report::RolloutField field{
        shown.name, shown.unit, shown.numbers, frames_of(first.input, shown), frames_of(first.target, shown),
        {}};
    for (std::size_t i = 0; i < rollouts.size(); ++i)
      field.predictions.push_back(
          frames_of(rollouts[i].prediction, same_field(first, shown, rollouts[i], runs[i])));
    result.fields.push_back(field);
  }
  return result;
}

}  // namespace

report::FieldRollout predicted_fields(const std::vector<std::string>& runs,
                                      const FluidPredictionOptions& options) {
  const std::int64_t history = longest_history(runs);
  return fields_of(runs, roll_all(runs, history, options), history, options);
}

report::FieldsView predicted_view(const std::vector<std::string>& runs,
                                  const FluidPredictionOptions& options) {
  const std::int64_t history = longest_history(runs);
  const std::vector<train::FluidRollout> rollouts = roll_all(runs, history, options);
  report::FieldsView view{fields_of(runs, rollouts, history, options)};
  add_spectra(rollouts, view);
  return view;
}

}  // namespace gcan::experiments
