#include "gcan/data/well_layout.h"

#include <fmt/format.h>

#include "gcan/base/error.h"
#include "gcan/version.h"

namespace gcan::data {
namespace {

void make_root(Hdf5File& file, const Description& d) {
  file.set("/", "dataset_name", d.dataset);
  file.set("/", "grid_type", d.grid_type);
  file.set("/", "n_spatial_dims", std::int64_t{2});
  file.set("/", "n_trajectories", std::int64_t{d.trajectories()});
  std::vector<std::string> names;
  for (const Parameter& constant : d.constants) {
    names.push_back(constant.name);
    if (const auto* number = std::get_if<double>(&constant.value)) file.set("/", constant.name, *number);
  }
  file.set("/", "simulation_parameters", names);
}

void mark_varying(Hdf5File& file, const std::string& name, bool sample, bool time) {
  file.set(name, "sample_varying", sample);
  file.set(name, "time_varying", time);
}

void make_dimensions(Hdf5File& file, const Description& d) {
  file.make_group("dimensions");
  file.set("dimensions", "spatial_dims", std::vector<std::string>{d.space[0].name, d.space[1].name});
  const auto write_axis = [&](const std::string& name, const std::string& unit,
                              const std::vector<double>& values) {
    const std::string path = "dimensions/" + name;
    file.write<double>(path, NumberType::kFloat32, {values.size()}, values);
    mark_varying(file, path, false, false);
    file.set(path, "units", unit);
  };
  write_axis("time", "s", d.frame_times);
  for (const Axis& axis : d.space) write_axis(axis.name, axis.unit, axis.values);
}

void make_boundaries(Hdf5File& file, const Description& d) {
  file.make_group("boundary_conditions");
  for (const Axis& axis : d.space) {
    const std::string group = "boundary_conditions/" + axis.name + "_boundary";
    file.make_group(group);
    file.set(group, "associated_dims", std::vector<std::string>{axis.name});
    file.set(group, "associated_fields", std::vector<std::string>{});
    file.set(group, "bc_type", axis.boundary);
    mark_varying(file, group, false, false);
    std::vector<bool> mask(axis.values.size(), false);
    if (!mask.empty()) mask.front() = mask.back() = true;
    file.write_flags(group + "/mask", mask);
  }
}

void make_scalars(Hdf5File& file, const Description& d) {
  file.make_group("scalars");
  std::vector<std::string> names;
  for (const Parameter& constant : d.constants) {
    const auto* number = std::get_if<double>(&constant.value);
    if (number == nullptr) continue;
    const std::string path = "scalars/" + constant.name;
    file.write<double>(path, NumberType::kFloat32, {}, std::span(number, 1));
    mark_varying(file, path, false, false);
    file.set(path, "units", constant.unit);
    names.push_back(constant.name);
  }
  file.set("scalars", "field_names", names);
}

Shape frame_chunk(const Shape& shape) {
  Shape chunk = shape;
  chunk[0] = chunk[1] = 1;
  return chunk;
}

void make_field(Hdf5File& file, const Description& d, const FieldInfo& field, bool compress) {
  const std::string path = dataset_of(field);
  const Shape shape = shape_of(d, field);
  file.make_dataset(path, NumberType::kFloat32, shape, compress ? frame_chunk(shape) : Shape{});
  mark_varying(file, path, true, true);
  file.set(path, "dim_varying", std::vector<bool>{true, true});
  file.set(path, "units", field.unit);
  file.set(path, "description", field.description);
  if (!field.components.empty()) file.set(path, "components", field.components);
}

void make_fields(Hdf5File& file, const Description& d, bool compress) {
  std::vector<std::string> names[2];
  for (const char* group : {"t0_fields", "t1_fields", "t2_fields"}) file.make_group(group);
  for (const FieldInfo& field : d.fields) {
    make_field(file, d, field, compress);
    names[field.components.empty() ? 0 : 1].push_back(field.name);
  }
  for (const StaticField& field : d.static_fields) {
    const std::string path = "t0_fields/" + field.name;
    file.write<double>(path, NumberType::kFloat32, {d.space[0].values.size(), d.space[1].values.size()},
                       field.values);
    mark_varying(file, path, false, false);
    file.set(path, "dim_varying", std::vector<bool>{true, true});
    file.set(path, "units", field.unit);
    names[0].push_back(field.name);
  }
  file.set("t0_fields", "field_names", names[0]);
  file.set("t1_fields", "field_names", names[1]);
  file.set("t2_fields", "field_names", std::vector<std::string>{});
}

// Per-trajectory data; zero, which means missing, until a trajectory is written.
void make_bookkeeping(Hdf5File& file, const Description& d) {
  const auto count = static_cast<std::uint64_t>(d.trajectories());
  // Written explicitly, because allocated space may contain anything.
  const auto make_zeros = [&](const std::string& name, NumberType type, const Shape& shape) {
    file.write<std::uint8_t>(name, type, shape, std::vector<std::uint8_t>(points(shape), 0));
  };
  make_zeros("gcan/status", NumberType::kUint8, {count});
  file.set("gcan/status", "meaning", std::vector<std::string>{"missing", "complete", "failed"});
  std::vector<std::uint8_t> splits;
  std::vector<std::int64_t> numbers;
  for (int i = 0; i < d.trajectories(); ++i) {
    splits.push_back(static_cast<std::uint8_t>(d.split_of(i)));
    numbers.push_back(d.number_of(i));
  }
  file.write<std::uint8_t>("gcan/split", NumberType::kUint8, {count}, splits);
  file.set("gcan/split", "meaning", std::vector<std::string>(kSplitNames.begin(), kSplitNames.end()));
  file.write<std::int64_t>("gcan/number", NumberType::kInt64, {count}, numbers);
  file.set("gcan/number", "description", "with the seed it determines the trajectory's random numbers");
  make_zeros("gcan/checksum", NumberType::kUint32, {count, d.fields.size()});
  file.set(
      "gcan/checksum", "description",
      "CRC-32 of the little-endian float32 numbers of a trajectory, one per field: zlib.crc32 in Python");
  make_zeros("gcan/failed_step", NumberType::kInt32, {count});
  make_zeros("gcan/failed_field", NumberType::kUint8, {count});
  file.set("gcan/failed_field", "meaning", d.failure_names);
  make_zeros("gcan/start", NumberType::kFloat64, {count, d.start_names.size()});
  file.set("gcan/start", "columns", d.start_names);
  file.make_group("gcan/moments");
  file.make_group("statistics");
  file.set("statistics", "split", "train");
  file.set("statistics", "description", "over complete trajectories, frames and points without area weights");
  for (const FieldInfo& field : d.fields) {
    make_zeros("gcan/moments/" + field.name, NumberType::kFloat64, {count, field.elements(), 4});
    make_zeros("statistics/" + field.name, NumberType::kFloat64, {field.elements(), 6});
    file.set("statistics/" + field.name, "columns",
             std::vector<std::string>{"mean", "std", "rms", "difference_mean", "difference_std",
                                      "difference_rms"});
    file.set("statistics/" + field.name, "units", field.unit);
  }
}

void make_own_group(Hdf5File& file, const Description& d) {
  file.make_group("gcan");
  file.set("gcan", "format_version", kFormatVersion);
  file.set("gcan", "version", version());
  file.set("gcan", "commit", commit());
  file.set("gcan", "compiler", compiler());
  std::vector<std::string> order;
  for (const FieldInfo& field : d.fields) order.push_back(field.name);
  file.set("gcan", "fields", order);
  for (std::size_t i = 0; i < 3; ++i)
    file.set("gcan", std::string("n_").append(kSplitNames[i]), std::int64_t{d.splits[i]});
  // The Well's float32 is too coarse to compute with.
  file.write<double>("gcan/frame_time", NumberType::kFloat64, {d.frames()}, d.frame_times);
  file.set("gcan/frame_time", "units", "s");
  file.write<std::int32_t>("gcan/frame_step", NumberType::kInt32, {d.frame_steps.size()}, d.frame_steps);
  for (const Axis& axis : d.space) {
    file.write<double>("gcan/" + axis.name, NumberType::kFloat64, {axis.values.size()}, axis.values);
    file.set("gcan/" + axis.name, "units", axis.unit);
  }
  file.write<double>("gcan/area", NumberType::kFloat64, {d.area.size()}, d.area);
  file.set("gcan/area", "description",
           "of one point in each line of the first axis, as a fraction of the whole");
  write_parameters(file, "gcan/options", d.options);
  make_bookkeeping(file, d);
}

std::string text_or(const Hdf5File& file, const std::string& object, const std::string& name,
                    const std::string& otherwise) {
  return file.attribute_is_text(object, name) ? file.text(object, name) : otherwise;
}

Axis read_axis(const Hdf5File& file, const std::string& name) {
  Axis axis;
  axis.name = name;
  const std::string own = "gcan/" + name, path = "dimensions/" + name;
  axis.values = file.read<double>(file.has(own) ? own : path);
  axis.unit = text_or(file, path, "units", "1");
  axis.boundary = text_or(file, "boundary_conditions/" + name + "_boundary", "bc_type", "OPEN");
  return axis;
}

// A component without a name gets the name of its axis; a third one gets the remaining letter of x, y and z.
std::string component_name(const Description& d, std::size_t component) {
  if (component < 2) return d.space[component].name;
  for (const char* letter : {"z", "y", "x"})
    if (component == 2 && d.space[0].name != letter && d.space[1].name != letter) return letter;
  return std::to_string(component + 1);
}

void read_fields(const Hdf5File& file, Description& d) {
  for (const char* group : {"t0_fields", "t1_fields"}) {
    // h5py writes an empty list of names as a list of numbers.
    if (!file.attribute_is_text(group, "field_names")) continue;
    for (const std::string& name : file.texts(group, "field_names")) {
      const std::string path = std::string(group) + "/" + name;
      const Shape shape = file.shape(path);
      const std::string unit = text_or(file, path, "units", "1");
      const bool vector = group[1] == '1';
      if (shape.size() == 2 && !vector) {
        d.static_fields.push_back({name, unit, file.read<double>(path)});
      } else if (shape.size() == (vector ? 5U : 4U)) {
        FieldInfo field{name, unit, {}, text_or(file, path, "description", "")};
        if (vector && file.attribute_is_text(path, "components"))
          field.components = file.texts(path, "components");
        if (vector && field.components.size() != shape[4])
          for (std::size_t c = field.components.size(); c < shape[4]; ++c)
            field.components.push_back(name + "_" + component_name(d, c));
        d.fields.push_back(field);
      }
    }
  }
}

void read_constants(const Hdf5File& file, Description& d) {
  if (!file.attribute_is_text("/", "simulation_parameters")) return;
  for (const std::string& name : file.texts("/", "simulation_parameters")) {
    if (!file.has_attribute("/", name) || file.attribute_is_text("/", name)) continue;
    d.constants.push_back({name, file.number("/", name), text_or(file, "scalars/" + name, "units", "1")});
  }
}

void sort_fields(const Hdf5File& file, Description& d) {
  std::vector<FieldInfo> sorted;
  for (const std::string& name : file.texts("gcan", "fields"))
    for (const FieldInfo& field : d.fields)
      if (field.name == name) sorted.push_back(field);
  d.fields = sorted;
}

void read_own_group(const Hdf5File& file, Description& d) {
  const std::int64_t version = file.whole_number("gcan", "format_version");
  if (version != kFormatVersion)
    throw Error(fmt::format("{}: the file has version {} of gcan's format, but this gcan reads version {}",
                            file.path(), version, kFormatVersion));
  d.frame_times = file.read<double>("gcan/frame_time");
  d.frame_steps = file.read<std::int32_t>("gcan/frame_step");
  d.area = file.read<double>("gcan/area");
  for (std::size_t i = 0; i < 3; ++i)
    d.splits[i] = static_cast<int>(file.whole_number("gcan", std::string("n_").append(kSplitNames[i])));
  d.start_names = file.texts("gcan/start", "columns");
  d.failure_names = file.texts("gcan/failed_field", "meaning");
  sort_fields(file, d);
  d.options = read_parameters(file, "gcan/options");
}

}  // namespace

std::string dataset_of(const FieldInfo& field) {
  return (field.components.empty() ? "t0_fields/" : "t1_fields/") + field.name;
}

Shape shape_of(const Description& d, const FieldInfo& field) {
  Shape shape{static_cast<std::uint64_t>(d.trajectories()), d.frames(), d.space[0].values.size(),
              d.space[1].values.size()};
  if (!field.components.empty()) shape.push_back(field.components.size());
  return shape;
}

void make_layout(Hdf5File& file, const Description& description, bool compress) {
  make_root(file, description);
  make_dimensions(file, description);
  make_boundaries(file, description);
  make_scalars(file, description);
  make_fields(file, description, compress);
  make_own_group(file, description);
}

Description read_description(const Hdf5File& file) {
  if (!file.has("dimensions") || !file.has("t0_fields") ||
      !file.attribute_is_text("dimensions", "spatial_dims"))
    throw Error(file.path() +
                ": this is not a file of The Well's layout (groups 'dimensions', 't0_fields', 't1_fields'); "
                "'gcan import' reads pdearena's HDF5 and NetCDF-4");
  Description d;
  const auto names = file.texts("dimensions", "spatial_dims");
  if (names.size() != 2)
    throw Error(
        fmt::format("{}: the data has {} spatial dimensions, but gcan reads two", file.path(), names.size()));
  d.dataset = text_or(file, "/", "dataset_name", "unknown");
  d.grid_type = text_or(file, "/", "grid_type", "cartesian");
  for (std::size_t i = 0; i < 2; ++i) d.space[i] = read_axis(file, names[i]);
  d.frame_times = file.read<double>("dimensions/time");
  read_fields(file, d);
  read_constants(file, d);
  if (d.fields.empty()) throw Error(file.path() + ": the file has no field of space and time");
  d.splits[0] = static_cast<int>(file.shape(dataset_of(d.fields.front()))[0]);
  if (file.has("gcan")) read_own_group(file, d);
  for (const FieldInfo& field : d.fields) {
    const Shape found = file.shape(dataset_of(field)), wanted = shape_of(d, field);
    if (found != wanted)
      throw Error(fmt::format("{}: '{}' is {}, but the file's dimensions imply {}", file.path(),
                              dataset_of(field), to_string(found), to_string(wanted)));
  }
  return d;
}

std::string difference(const Description& stored, const Description& wanted) {
  if (stored.dataset != wanted.dataset)
    return fmt::format("data set {} (now {})", stored.dataset, wanted.dataset);
  return difference(stored.options, wanted.options);
}

}  // namespace gcan::data
