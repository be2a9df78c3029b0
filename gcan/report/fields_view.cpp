#include "gcan/report/fields_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gcan/base/error.h"
#include "gcan/report/page_json.h"

namespace gcan::report {
namespace {

constexpr std::size_t kMostBytes = 7 << 20;  // of one view's fields; half of it and less once they are packed

template <class T>
std::vector<T> thinned(const std::vector<T>& all, std::size_t stride) {
  std::vector<T> chosen;
  // Counted from the end, so that the last one is there.
  for (std::size_t i = all.empty() ? 0 : (all.size() - 1) % stride; i < all.size(); i += stride)
    chosen.push_back(all[i]);
  return chosen;
}

// (frames, numbers, first axis, second axis)
struct Frames {
  std::vector<float> values;
  std::vector<std::size_t> shape;
};

Frames joined(const std::vector<FieldFrame>& frames, const RolloutField& field,
              const data::Description& grid) {
  Frames all{{}, {frames.size(), field.numbers, grid.space[0].values.size(), grid.space[1].values.size()}};
  const std::size_t size = all.shape[1] * all.shape[2] * all.shape[3];
  for (const FieldFrame& frame : frames) {
    if (frame.size() != size)
      throw Error(fmt::format("fields on a page: a frame of '{}' has {} numbers instead of {}", field.name,
                              frame.size(), size));
    all.values.insert(all.values.end(), frame.begin(), frame.end());
  }
  return all;
}

Json component_names(const RolloutField& field, const data::Description& grid) {
  for (const data::FieldInfo& info : grid.fields)
    if (info.name == field.name && info.components.size() == field.numbers) return info.components;
  return Json::array();
}

Json field_json(const FieldRollout& rollout, const RolloutField& field, std::size_t stride, PageData& data) {
  if (field.predictions.size() != rollout.networks.size())
    throw Error(fmt::format("fields on a page: '{}' has {} predictions of {} networks", field.name,
                            field.predictions.size(), rollout.networks.size()));
  const Frames input = joined(field.input, field, rollout.grid);
  const Frames target = joined(thinned(field.target, stride), field, rollout.grid);
  Limits limits;
  limits.add(input.values);
  limits.add(target.values);
  Json json{{"name", field.name},
            {"unit", field.unit},
            {"components", component_names(field, rollout.grid)},
            {"low", limits.low},
            {"high", limits.high},
            {"input", data.add_rounded(input.values, input.shape, limits)},
            {"target", data.add_rounded(target.values, target.shape, limits)},
            {"predictions", Json::array()},
            {"errors", Json::array()}};
  for (std::size_t n = 0; n < rollout.networks.size(); ++n) {
    const Frames made = joined(thinned(field.predictions[n], stride), field, rollout.grid);
    json["predictions"].push_back(data.add_rounded(made.values, made.shape, limits.widened(0.5)));
    json["errors"].push_back(data.add(field_errors(rollout, field, n)));
  }
  return json;
}

// (time, wavenumber)
std::size_t add_spectra(const std::vector<std::vector<double>>& spectra, std::size_t stride, PageData& data) {
  std::vector<float> values;
  const auto chosen = thinned(spectra, stride);
  for (const auto& spectrum : chosen) {
    if (spectrum.size() != chosen.front().size())
      throw Error("fields on a page: spectra of one network have different lengths");
    for (const double value : spectrum) values.push_back(static_cast<float>(value));
  }
  return data.add(values, {chosen.size(), chosen.empty() ? 0 : chosen.front().size()});
}

}  // namespace

std::size_t frame_stride(const FieldRollout& rollout, std::size_t most_bytes) {
  std::size_t bytes = 0;
  for (const RolloutField& field : rollout.fields)
    bytes +=
        field.target.size() * field.numbers * rollout.grid.frame_points() * 2 * (1 + rollout.networks.size());
  return std::max<std::size_t>(1, (bytes + most_bytes - 1) / most_bytes);
}

std::vector<double> field_errors(const FieldRollout& rollout, const RolloutField& field,
                                 std::size_t network) {
  const std::size_t rows = rollout.grid.space[0].values.size(), columns = rollout.grid.space[1].values.size();
  const bool weighted = rollout.grid.area.size() == rows;
  const double even = 1 / static_cast<double>(rows * columns);
  std::vector<double> errors;
  for (std::size_t t = 0; t < field.target.size(); ++t) {
    const FieldFrame &truth = field.target[t], &made = field.predictions.at(network).at(t);
    double sum = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const double difference = static_cast<double>(made.at(i)) - static_cast<double>(truth[i]);
      sum += (weighted ? rollout.grid.area[i / columns % rows] : even) * difference * difference;
    }
    errors.push_back(std::sqrt(sum));
  }
  return errors;
}

std::string to_page(const FieldsView& view, PageData& data) {
  const FieldRollout& rollout = view.rollout;
  const std::size_t stride = frame_stride(rollout, kMostBytes);
  Json json{{"kind", "fields"},
            {"sphere", rollout.grid.grid_type == "spherical"},
            {"axes", Json::array()},
            {"input_times", rollout.input_times},
            {"times", thinned(rollout.times, stride)},
            {"error_times", rollout.times},
            {"networks", rollout.networks},
            {"colours", view.colours},
            {"fields", Json::array()}};
  for (const data::Axis& axis : rollout.grid.space)
    json["axes"].push_back({{"name", axis.name},
                            {"unit", axis.unit},
                            {"periodic", axis.boundary == "PERIODIC"},
                            {"values", data.add(axis.values)}});
  for (const RolloutField& field : rollout.fields)
    json["fields"].push_back(field_json(rollout, field, stride, data));
  if (view.spectrum_name.empty()) return page_text(json);
  Json spectrum{{"name", view.spectrum_name},
                {"target", add_spectra(view.target_spectra, stride, data)},
                {"predictions", Json::array()}};
  for (const auto& spectra : view.spectra)
    spectrum["predictions"].push_back(add_spectra(spectra, stride, data));
  json["spectrum"] = spectrum;
  return page_text(json);
}

}  // namespace gcan::report
