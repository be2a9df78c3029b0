#include "gcan/data/well_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "gcan/base/error.h"
#include "gcan/data/file_check.h"
#include "gcan/data/generation.h"
#include "gcan/data/well_layout.h"
#include "gcan/data/well_part.h"
#include "gcan/files/checksum.h"
#include "gcan/files/durable.h"
#include "gcan/files/output_lock.h"
#include "gcan/files/partial_name.h"
#include "gcan/files/unfinished.h"

namespace gcan::data {
namespace {

namespace fs = std::filesystem;

// Checks for room before the lock file is created.
std::string checked(std::string name) {
  files::check_room(name, 0);
  return name;
}

void write_moments(Hdf5File& file, const std::string& name, std::uint64_t trajectory,
                   const std::vector<FieldMoments>& moments) {
  std::vector<double> numbers;
  for (const FieldMoments& m : moments)
    numbers.insert(numbers.end(),
                   {m.values.mean, m.values.deviations, m.differences.mean, m.differences.deviations});
  file.write_part<double>("gcan/moments/" + name, {trajectory, 0, 0}, {1, moments.size(), 4}, numbers);
}

// Writes a trajectory except its status.
void write_trajectory(Hdf5File& file, const Description& d, int trajectory, const Trajectory& data) {
  const auto i = static_cast<std::uint64_t>(trajectory);
  for (std::size_t f = 0; f < d.fields.size(); ++f) {
    const FieldInfo& field = d.fields[f];
    const std::vector<float>& values = data.fields.at(f);
    Shape count = shape_of(d, field), start(count.size(), 0);
    count[0] = 1;
    start[0] = i;
    file.write_part<float>(dataset_of(field), start, count, values);
    const std::uint32_t sum = files::checksum(values);
    file.write_part<std::uint32_t>("gcan/checksum", {i, f}, {1, 1}, std::span(&sum, 1));
    write_moments(file, field.name, i, field_moments(values, d.frame_points(), field.elements()));
  }
  file.write_part<double>("gcan/start", {i, 0}, {1, d.start_names.size()}, data.start);
  const auto step = static_cast<std::int32_t>(data.failed_step);
  file.write_part<std::int32_t>("gcan/failed_step", {i}, {1}, std::span(&step, 1));
  const auto at = std::find(d.failure_names.begin(), d.failure_names.end(), data.failed_field);
  const auto index =
      static_cast<std::uint8_t>(at == d.failure_names.end() ? 0 : at - d.failure_names.begin());
  file.write_part<std::uint8_t>("gcan/failed_field", {i}, {1}, std::span(&index, 1));
}

void write_mark(Hdf5File& file, int trajectory, Status status) {
  const auto mark = static_cast<std::uint8_t>(status);
  file.write_part<std::uint8_t>("gcan/status", {static_cast<std::uint64_t>(trajectory)}, {1},
                                std::span(&mark, 1));
}

void write_statistics(Hdf5File& file, const Description& d) {
  for (const FieldInfo& field : d.fields) {
    std::vector<FieldMoments> sums;
    join_training_moments(file, d, field, sums);
    std::vector<double> numbers;
    for (const FieldMoments& m : sums)
      for (const Moments& part : {m.values, m.differences})
        numbers.insert(numbers.end(), {part.mean, part.std(), part.rms()});
    file.write_part<double>("statistics/" + field.name, {0, 0}, {field.elements(), 6}, numbers);
  }
}

// Complete before it is renamed: a run killed here leaves nothing that could be mistaken for data.
void make_partial(const std::string& name, const Description& description) {
  const std::string begun = name + ".begun";
  const files::UnfinishedFile unfinished(begun);
  try {
    Hdf5File file(begun, Hdf5File::Mode::kCreate);
    make_layout(file, description, false);
    file.close();
  } catch (...) {
    std::error_code ignored;
    fs::remove(begun, ignored);
    throw;
  }
  files::give_name(begun, files::partial_name(name));
}

// Writes a compressed copy under another name, and checks the numbers while reading them.
void compress_copy(const std::string& from, const std::string& to, const Description& d) {
  const WellReader source(from, Hdf5File::Mode::kReadOwn);
  Hdf5File file(to, Hdf5File::Mode::kCreate);
  make_layout(file, d, true);
  for (int i = 0; i < d.trajectories(); ++i) {
    write_trajectory(file, d, i, source.trajectory(i));
    write_mark(file, i, source.status(i));
  }
  write_statistics(file, d);
  file.close();
}

}  // namespace

Split Description::split_of(int trajectory) const {
  if (trajectory < splits[0]) return Split::train;
  return trajectory < splits[0] + splits[1] ? Split::valid : Split::test;
}

std::int64_t trajectory_number(Split split, std::int64_t index) {
  constexpr std::int64_t kSplitStride = 100'000'000;  // three of which fit into an int
  return static_cast<std::int64_t>(split) * kSplitStride + index;
}

namespace {

// How many trajectories of the split precede those of this file, if it is part of a larger set.
std::int64_t first_of_part(const Description& d, Split split) {
  for (const Parameter& option : d.options) {
    const auto* number = std::get_if<std::int64_t>(&option.value);
    if (number != nullptr && option.name == std::string(kFirstOfPart) + to_string(split)) return *number;
  }
  return 0;
}

}  // namespace

std::int64_t Description::number_of(int trajectory) const {
  const Split split = split_of(trajectory);
  const int first = split == Split::train ? 0 : split == Split::valid ? splits[0] : splits[0] + splits[1];
  return trajectory_number(split, first_of_part(*this, split) + trajectory - first);
}

std::uint64_t Description::bytes() const {
  std::uint64_t numbers = 0;
  for (const FieldInfo& field : fields) numbers += field.elements();
  return static_cast<std::uint64_t>(trajectories()) * frames() * frame_points() * numbers * sizeof(float);
}

Trajectory empty_trajectory(const Description& d) {
  Trajectory result;
  for (const FieldInfo& field : d.fields)
    result.fields.emplace_back(d.frames() * d.frame_points() * field.elements(),
                               std::numeric_limits<float>::quiet_NaN());
  result.start.assign(d.start_names.size(), std::numeric_limits<double>::quiet_NaN());
  return result;
}

WellWriter::WellWriter(std::string name, Description description, bool compress)
    : name_(checked(std::move(name))),
      lock_(name_),
      description_(std::move(description)),
      compress_(compress) {
  const std::string partial = files::partial_name(name_);
  const bool goes_on = fs::exists(partial);
  files::check_room(name_, goes_on ? 0 : description_.bytes());
  if (goes_on) {
    check_before_parsing(partial);
  } else {
    make_partial(name_, description_);
  }
  file_.emplace(partial, Hdf5File::Mode::kChange);
  if (const std::string other = difference(read_description(*file_), description_); !other.empty())
    throw Error(fmt::format("{}: was started with {}; use the same arguments to resume it, or remove it",
                            partial, other));
  verify_marked();
}

void WellWriter::verify_marked() {
  status_ = file_->read<std::uint8_t>("gcan/status");
  for (int i = 0; i < description_.trajectories(); ++i) {
    std::uint8_t& status = status_[static_cast<std::size_t>(i)];
    if (static_cast<Status>(status) == Status::kMissing) continue;
    for (std::size_t f = 0; f < description_.fields.size(); ++f) {
      if (intact(*file_, f, i, read_field(*file_, description_, f, i))) continue;
      ++damaged_;
      status = static_cast<std::uint8_t>(Status::kMissing);
      write_mark(*file_, i, Status::kMissing);
      break;
    }
  }
}

std::vector<int> WellWriter::missing() const {
  std::vector<int> result;
  for (std::size_t i = 0; i < status_.size(); ++i)
    if (static_cast<Status>(status_[i]) == Status::kMissing) result.push_back(static_cast<int>(i));
  return result;
}

int WellWriter::complete() const {
  return static_cast<int>(
      std::count(status_.begin(), status_.end(), static_cast<std::uint8_t>(Status::kComplete)));
}

void WellWriter::discard() {
  file_.reset();
  std::error_code ignored;
  fs::remove(files::partial_name(name_), ignored);
}

void WellWriter::write(int trajectory, const Trajectory& data) {
  write_trajectory(*file_, description_, trajectory, data);
  file_->flush();
  const Status status = data.failed_step < 0 ? Status::kComplete : Status::kFailed;
  write_mark(*file_, trajectory, status);
  file_->flush();
  status_.at(static_cast<std::size_t>(trajectory)) = static_cast<std::uint8_t>(status);
}

void WellWriter::finish() {
  if (const auto open = missing(); !open.empty())
    throw Error(
        fmt::format("{}: {} trajectories are still missing", files::partial_name(name_), open.size()));
  write_statistics(*file_, description_);
  file_->close();
  file_.reset();
  if (!compress_) {
    files::seal_file(files::partial_name(name_));
    return files::give_name(files::partial_name(name_), name_);
  }
  const std::string compressed = name_ + ".compressing";
  const files::UnfinishedFile unfinished(compressed);
  compress_copy(files::partial_name(name_), compressed, description_);
  files::seal_file(compressed);
  files::give_name(compressed, name_);
  std::error_code ignored;
  fs::remove(files::partial_name(name_), ignored);
}

bool already_written(const std::string& name, const Description& description) {
  if (!fs::exists(name)) return false;
  const WellReader reader(name);
  if (const std::string other = difference(reader.description(), description); !other.empty())
    throw Error(fmt::format(
        "{}: this is the file of a different run, with {}; remove it or choose another --out", name, other));
  files::remove_leftovers(name);
  return true;
}

}  // namespace gcan::data
