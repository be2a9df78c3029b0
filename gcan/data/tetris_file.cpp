#include "gcan/data/tetris_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <utility>

#include "gcan/base/error.h"
#include "gcan/data/file_names.h"
#include "gcan/data/generate.h"
#include "gcan/files/checksum.h"
#include "gcan/files/durable.h"
#include "gcan/files/output_lock.h"
#include "gcan/files/partial_name.h"
#include "gcan/sim/tetris/shapes.h"
#include "gcan/version.h"

namespace gcan::data {
namespace {

namespace fs = std::filesystem;
namespace tetris = sim::tetris;

constexpr std::int64_t kTetrisFormat = 1;
constexpr std::array<const char*, 2> kFields{"positions", "velocities"};

std::string dataset_of(Split split, const std::string& name) {
  return fmt::format("{}/{}", to_string(split), name);
}

Shape shape_of(const TetrisDescription& d, std::uint64_t trajectories) {
  return {trajectories, static_cast<std::uint64_t>(d.options.steps), tetris::kPoints, 3};
}

std::size_t trajectory_size(const TetrisDescription& d) {
  return static_cast<std::size_t>(d.options.steps) * tetris::kPoints * 3;
}

// Checks for room before the lock file is created.
std::string with_room(std::string name, std::uint64_t bytes) {
  files::check_room(name, bytes);
  return name;
}

void check_finite(const std::string& file, const std::string& dataset, std::span<const float> values,
                  std::size_t per_trajectory) {
  const auto bad =
      std::find_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
  if (bad == values.end()) return;
  throw Error(
      fmt::format("{}: '{}' of trajectory {} contains {}, but training needs finite numbers; "
                  "write the file again, for example with 'gcan simulate tetris'",
                  file, dataset, static_cast<std::size_t>(bad - values.begin()) / per_trajectory, *bad));
}

void make_points(Hdf5File& file) {
  std::vector<std::int32_t> object;
  std::vector<double> rest;
  std::vector<std::string> names;
  for (const tetris::Shape& shape : tetris::shapes()) {
    names.emplace_back(shape.name);
    for (const tetris::Vector3& point : shape.points) {
      object.push_back(static_cast<std::int32_t>(names.size() - 1));
      rest.insert(rest.end(), point.begin(), point.end());
    }
  }
  file.make_group("points");
  file.write<std::int32_t>("points/object", NumberType::kInt32, {tetris::kPoints}, object);
  file.set("points/object", "description", "the object of each point; each object is a rigid body");
  file.write<std::int32_t>("points/shape", NumberType::kInt32, {tetris::kPoints}, object);
  file.set("points/shape", "description", "the shape of that object, an index into 'names'");
  file.set("points/shape", "names", names);
  file.write<double>("points/rest", NumberType::kFloat64, {tetris::kPoints, 3}, rest);
  file.set("points/rest", "units", "side of a cube");
  file.set("points/rest", "description",
           "centres of the cubes in the object's own frame, before displacement, rotation and drift");
}

void make_split(Hdf5File& file, const TetrisDescription& d, Split split, bool compress) {
  const auto index = static_cast<std::size_t>(split);
  const auto count = static_cast<std::uint64_t>(d.splits[index]);
  file.make_group(kSplitNames[index]);
  constexpr std::uint64_t kChunk = 64;  // trajectories, 200 kB
  const Shape chunk = compress && count > 0 ? shape_of(d, std::min(count, kChunk)) : Shape{};
  for (std::size_t f = 0; f < 2; ++f) {
    const std::string path = dataset_of(split, kFields[f]);
    file.make_dataset(path, NumberType::kFloat32, shape_of(d, count), chunk);
    file.set(path, "units", f == 0 ? "side of a cube" : "side of a cube per step");
    file.set(path, "dimensions", std::vector<std::string>{"trajectory", "step", "point", "x, y, z"});
    file.set(path, "description",
             f == 0 ? "centres of the cubes"
                    : "position of the next step minus position of this one, also for the last step");
  }
  const std::string sums = dataset_of(split, "checksum");
  file.make_dataset(sums, NumberType::kUint32, {count, 2});
  file.set(sums, "description", "CRC-32 of the float32 numbers of each trajectory");
  file.set(sums, "columns", std::vector<std::string>(kFields.begin(), kFields.end()));
  std::vector<std::int64_t> numbers;
  for (std::uint64_t i = 0; i < count; ++i)
    numbers.push_back(trajectory_number(split, static_cast<std::int64_t>(i)));
  file.write<std::int64_t>(dataset_of(split, "number"), NumberType::kInt64, {count}, numbers);
  file.set(dataset_of(split, "number"), "description", "options, seed and this number fix a trajectory");
}

void make_layout(Hdf5File& file, const TetrisDescription& d, bool compress) {
  file.set("/", "dataset_name", "tetris");
  file.set("/", "description",
           "Eight rigid Tetris objects of four cubes each, rotating and drifting uniformly: a point is at "
           "R^t x + t T at step t. Made after Ruhe et al., Geometric Clifford Algebra Networks, 2023.");
  file.set("/", "n_trajectories", std::int64_t{d.trajectories()});
  std::vector<double> times(static_cast<std::size_t>(d.options.steps));
  std::iota(times.begin(), times.end(), 0.0);
  file.write<double>("time", NumberType::kFloat64, {times.size()}, times);
  file.set("time", "units", "step");
  make_points(file);
  for (const Split split : kSplits) make_split(file, d, split, compress);
  file.make_group("statistics");
  for (const char* field : kFields) {
    const std::string path = fmt::format("statistics/{}", field);
    file.make_dataset(path, NumberType::kFloat64, {3, 3});
    file.set(path, "rows", std::vector<std::string>{"x", "y", "z"});
    file.set(path, "columns", std::vector<std::string>{"mean", "std", "rms"});
    file.set(path, "description", "over all steps and points of the training trajectories");
  }
  file.make_group("gcan");
  file.set("gcan", "format_version", kTetrisFormat);
  file.set("gcan", "version", version());
  file.set("gcan", "commit", commit());
  file.set("gcan", "compiler", compiler());
  write_parameters(file, "gcan/options", d.recorded());
}

TetrisDescription read_description(const Hdf5File& file) {
  if (!file.attribute_is_text("/", "dataset_name") || file.text("/", "dataset_name") != "tetris" ||
      !file.has("gcan/options"))
    throw Error(file.path() + ": this is not a Tetris file; 'gcan simulate tetris' writes one");
  if (const auto found = file.whole_number("gcan", "format_version"); found != kTetrisFormat)
    throw Error(
        fmt::format("{}: the file has version {} of the Tetris format, but this gcan reads version {}",
                    file.path(), found, kTetrisFormat));
  TetrisSet set;
  std::vector<Parameter> more;
  try {
    for (const Parameter& stored : read_parameters(file, "gcan/options")) {
      bool known = std::find(kSplitNames.begin(), kSplitNames.end(), stored.name) != kSplitNames.end();
      for (const auto& setting : tetris_settings()) {
        if (setting.name != stored.name) continue;
        setting.set(set, config::checked(setting, stored.value, setting.name));
        known = true;
      }
      if (!known) more.push_back(stored);
    }
  } catch (const Error& error) {
    throw Error(fmt::format("{}: its options are damaged: {}", file.path(), error.what()));
  }
  TetrisDescription d{set.options, {}, more};
  for (const Split split : kSplits) {
    const auto i = static_cast<std::size_t>(split);
    const std::int64_t count = file.whole_number("gcan/options", kSplitNames[i]);
    d.splits[i] = static_cast<int>(count);
    for (const char* field : kFields) {
      const Shape found = file.shape(dataset_of(split, field));
      const Shape wanted = shape_of(d, static_cast<std::uint64_t>(count));
      if (found != wanted)
        throw Error(fmt::format("{}: '{}' is {}, but the file's options imply {}", file.path(),
                                dataset_of(split, field), to_string(found), to_string(wanted)));
    }
  }
  return d;
}

}  // namespace

std::vector<Parameter> TetrisDescription::recorded() const {
  auto result = data::recorded(tetris_settings(), TetrisSet{options});
  for (std::size_t i = 0; i < 3; ++i) result.push_back({kSplitNames[i], std::int64_t{splits[i]}, "1"});
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

std::uint64_t TetrisDescription::bytes() const {
  return static_cast<std::uint64_t>(trajectories()) * trajectory_size(*this) * 2 * sizeof(float);
}

TetrisWriter::TetrisWriter(std::string name, const TetrisDescription& description, bool compress)
    : name_(with_room(std::move(name), description.bytes())),
      partial_(files::partial_name(name_)),
      lock_(name_),
      unfinished_(partial_),
      description_(description) {
  try {
    file_.emplace(partial_, Hdf5File::Mode::kCreate);
    make_layout(*file_, description_, compress);
  } catch (...) {
    discard();
    throw;
  }
}

TetrisWriter::~TetrisWriter() { discard(); }

void TetrisWriter::discard() {
  if (!file_) return;
  file_.reset();
  std::error_code ignored;
  fs::remove(partial_, ignored);
}

void TetrisWriter::write(Split split, std::size_t first, const TetrisSplit& block) {
  const std::size_t size = trajectory_size(description_);
  std::vector<std::uint32_t> sums(2 * block.trajectories);
  for (std::size_t f = 0; f < 2; ++f) {
    const std::span<const float> values = f == 0 ? block.positions : block.velocities;
    file_->write_part<float>(dataset_of(split, kFields[f]), {first, 0, 0, 0},
                             shape_of(description_, block.trajectories), values);
    for (std::size_t k = 0; k < block.trajectories; ++k) {
      const auto one = values.subspan(k * size, size);
      sums[2 * k + f] = files::checksum(one);
      if (split != Split::train) continue;
      const auto moments = field_moments(one, tetris::kPoints, 3);
      for (std::size_t i = 0; i < 3; ++i) moments_[f][i].join(moments[i].values);
    }
  }
  file_->write_part<std::uint32_t>(dataset_of(split, "checksum"), {first, 0}, {block.trajectories, 2}, sums);
}

void TetrisWriter::finish() {
  for (std::size_t f = 0; f < 2; ++f) {
    std::vector<double> numbers;
    for (const Moments& m : moments_[f]) numbers.insert(numbers.end(), {m.mean, m.std(), m.rms()});
    file_->write_part<double>(fmt::format("statistics/{}", kFields[f]), {0, 0}, {3, 3}, numbers);
  }
  file_->close();
  files::seal_file(partial_);
  files::give_name(partial_, name_);
  file_.reset();
}

TetrisFile::TetrisFile(const std::string& path)
    : file_(file_named(path, "a set of Tetris motions"), Hdf5File::Mode::kRead),
      description_(read_description(file_)) {}

std::size_t TetrisFile::trajectories(Split split) const {
  return static_cast<std::size_t>(description_.splits[static_cast<std::size_t>(split)]);
}

std::size_t TetrisFile::checked_count(Split split, std::size_t count) const {
  const std::size_t there = trajectories(split);
  if (count != kAll && count > there)
    throw Error(
        fmt::format("{}: {} trajectories of '{}' were requested, but the file has {}; write a larger "
                    "one with 'gcan simulate tetris'",
                    path(), count, to_string(split), there));
  return std::min(count, there);
}

TetrisSplit TetrisFile::read(Split split, std::size_t count) const {
  const std::size_t taken = checked_count(split, count);
  return {taken, read_field(split, 0, taken), read_field(split, 1, taken)};
}

TetrisSplit TetrisFile::read_positions(Split split, std::size_t count) const {
  const std::size_t taken = checked_count(split, count);
  return {taken, read_field(split, 0, taken), {}};
}

std::vector<std::uint32_t> TetrisFile::checksums(Split split, std::size_t count) const {
  return file_.read_part<std::uint32_t>(dataset_of(split, "checksum"), {0, 0}, {count, 2});
}

std::vector<float> TetrisFile::read_field(Split split, std::size_t field, std::size_t count) const {
  const std::string name = dataset_of(split, kFields[field]);
  auto values = file_.read_part<float>(name, {0, 0, 0, 0}, shape_of(description_, count));
  const auto sums = checksums(split, count);
  const std::size_t size = trajectory_size(description_);
  for (std::size_t k = 0; k < count; ++k)
    if (files::checksum(std::span(values).subspan(k * size, size)) != sums[2 * k + field])
      throw Error(fmt::format(
          "{}: '{}' of trajectory {} is damaged: its checksum differs from the one written with it", path(),
          name, k));
  check_finite(path(), name, values, size);
  return values;
}

std::array<CoordinateStatistics, 3> TetrisFile::statistics(const std::string& field) const {
  const auto numbers = file_.read_part<double>("statistics/" + field, {0, 0}, {3, 3});
  std::array<CoordinateStatistics, 3> result;
  for (std::size_t i = 0; i < 3; ++i) result[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
  return result;
}

bool is_tetris_file(const std::string& path) {
  const Hdf5File file(files_named(path).front(), Hdf5File::Mode::kRead);
  return file.attribute_is_text("/", "dataset_name") && file.text("/", "dataset_name") == "tetris";
}

bool already_written(const std::string& name, const TetrisDescription& description) {
  if (!fs::exists(name)) return false;
  const TetrisFile file(name);
  if (const std::string other = difference(file.description().recorded(), description.recorded());
      !other.empty())
    throw Error(fmt::format(
        "{}: this is the file of a different run, with {}; remove it or choose another --out", name, other));
  files::remove_leftovers(name);
  return true;
}

}  // namespace gcan::data
