#include "gcan/data/well_part.h"

#include <fmt/format.h>

#include "gcan/base/error.h"
#include "gcan/data/well_layout.h"
#include "gcan/files/checksum.h"

namespace gcan::data {

std::vector<float> read_field(const Hdf5File& file, const Description& d, std::size_t field, int trajectory) {
  Shape count = shape_of(d, d.fields[field]), start(count.size(), 0);
  count[0] = 1;
  start[0] = static_cast<std::uint64_t>(trajectory);
  return file.read_part<float>(dataset_of(d.fields[field]), start, count);
}

bool intact(const Hdf5File& file, std::size_t field, int trajectory, const std::vector<float>& values) {
  const auto stored =
      file.read_part<std::uint32_t>("gcan/checksum", {static_cast<std::uint64_t>(trajectory), field}, {1, 1});
  return stored.front() == files::checksum(values);
}

void join_training_moments(const Hdf5File& file, const Description& d, const FieldInfo& field,
                           std::vector<FieldMoments>& sums) {
  const auto status = file.read<std::uint8_t>("gcan/status");
  const auto stored = file.read<double>("gcan/moments/" + field.name);
  const auto values = static_cast<double>(d.frames() * d.frame_points());
  const double differences = d.frames() == 0 ? 0 : static_cast<double>((d.frames() - 1) * d.frame_points());
  sums.resize(field.elements());
  for (std::size_t i = 0; i < static_cast<std::size_t>(d.splits[0]); ++i) {
    if (static_cast<Status>(status[i]) != Status::kComplete) continue;
    for (std::size_t c = 0; c < field.elements(); ++c) {
      const double* m = stored.data() + (i * field.elements() + c) * 4;
      sums[c].values.join({values, m[0], m[1]});
      sums[c].differences.join({differences, m[2], m[3]});
    }
  }
}

WellPart::WellPart(const std::string& name, Hdf5File::Mode mode)
    : file_(name, mode), description_(read_description(file_)), own_(file_.has("gcan")) {
  if (!own_) {
    status_.assign(static_cast<std::size_t>(description_.trajectories()), Status::kComplete);
    return;
  }
  for (const std::uint8_t status : file_.read<std::uint8_t>("gcan/status")) {
    if (status > static_cast<std::uint8_t>(Status::kFailed))
      throw Error(
          fmt::format("{}: the file is damaged: 'gcan/status' contains the invalid value {}", name, status));
    status_.push_back(static_cast<Status>(status));
  }
}

std::vector<float> WellPart::field(std::size_t field, int trajectory) const {
  std::vector<float> values = read_field(file_, description_, field, trajectory);
  if (own_ && status(trajectory) != Status::kMissing && !intact(file_, field, trajectory, values))
    throw Error(
        fmt::format("{}: '{}' of trajectory {} is damaged: its checksum differs from the one written with it",
                    path(), dataset_of(description_.fields[field]), trajectory));
  return values;
}

std::vector<float> WellPart::frame(std::size_t field, int trajectory, std::size_t frame) const {
  const FieldInfo& info = description_.fields.at(field);
  Shape count = shape_of(description_, info), start(count.size(), 0);
  count[0] = count[1] = 1;
  start[0] = static_cast<std::uint64_t>(trajectory);
  start[1] = frame;
  return file_.read_part<float>(dataset_of(info), start, count);
}

std::vector<double> WellPart::start(int trajectory) const {
  if (!own_) return {};
  return file_.read_part<double>("gcan/start", {static_cast<std::uint64_t>(trajectory), 0},
                                 {1, description_.start_names.size()});
}

int WellPart::failed_step(int trajectory) const {
  return file_.read_part<std::int32_t>("gcan/failed_step", {static_cast<std::uint64_t>(trajectory)}, {1})
      .front();
}

std::string WellPart::failed_field(int trajectory) const {
  const auto field =
      file_.read_part<std::uint8_t>("gcan/failed_field", {static_cast<std::uint64_t>(trajectory)}, {1})
          .front();
  return field < description_.failure_names.size() ? description_.failure_names[field] : "";
}

}  // namespace gcan::data
