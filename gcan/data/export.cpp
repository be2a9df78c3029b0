#include <fmt/format.h>

#include <filesystem>

#include "gcan/base/error.h"
#include "gcan/data/exchange.h"
#include "gcan/files/checksum.h"
#include "gcan/files/durable.h"
#include "gcan/files/output_lock.h"
#include "gcan/files/partial_name.h"
#include "gcan/files/unfinished.h"
#include "gcan/version.h"

namespace gcan::data {
namespace {

namespace fs = std::filesystem;

// The complete trajectories of one split or of all.
std::vector<int> complete_ones(const WellReader& reader, const std::optional<Split>& split) {
  std::vector<int> result;
  for (int i = 0; i < reader.description().trajectories(); ++i) {
    const bool wanted = !split || reader.description().split_of(i) == *split;
    if (wanted && reader.status(i) == Status::kComplete) result.push_back(i);
  }
  return result;
}

std::vector<float> component(const std::vector<float>& values, std::size_t components, std::size_t index) {
  std::vector<float> result(values.size() / components);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = values[i * components + index];
  return result;
}

// One variable of the new file: a field of the old file, or one of its components.
struct Variable {
  std::string name;
  std::size_t field, component;
};

std::vector<Variable> variables_of(const Description& d) {
  std::vector<Variable> all;
  for (std::size_t f = 0; f < d.fields.size(); ++f) {
    if (d.fields[f].components.empty()) all.push_back({d.fields[f].name, f, 0});
    for (std::size_t c = 0; c < d.fields[f].components.size(); ++c)
      all.push_back({d.fields[f].components[c], f, c});
  }
  return all;
}

// Copies the variables trajectory by trajectory into datasets; `shape` is their shape without the first axis.
void copy_variables(const WellReader& reader, const std::vector<int>& trajectories,
                    const std::vector<Variable>& variables, Hdf5File& file, const std::string& group) {
  const Description& d = reader.description();
  for (std::size_t row = 0; row < trajectories.size(); ++row) {
    const Trajectory data = reader.trajectory(trajectories[row]);
    for (const Variable& variable : variables) {
      Shape count = file.shape(group + variable.name), start(count.size(), 0);
      start[0] = row;
      count[0] = 1;
      const std::size_t numbers = d.fields[variable.field].elements();
      file.write_part<float>(group + variable.name, start, count,
                             component(data.fields[variable.field], numbers, variable.component));
    }
  }
}

template <class Write>
void write_beside(const std::string& out, const Write& write) {
  files::check_room(out, 0);
  const files::OutputLock lock(out);
  const std::string beside = files::partial_name(out);
  const files::UnfinishedFile unfinished(beside);
  std::error_code problem;
  try {
    Hdf5File file(beside, Hdf5File::Mode::kCreate);
    write(file);
    file.close();
  } catch (...) {
    fs::remove(beside, problem);
    throw;
  }
  files::seal_file(beside);
  files::give_name(beside, out);
}

double constant(const Description& d, const std::string& name, double otherwise) {
  for (const Parameter& parameter : d.constants)
    if (parameter.name == name) return std::get<double>(parameter.value);
  return otherwise;
}

void repeat(Hdf5File& file, const std::string& name, std::size_t times, const std::vector<double>& values,
            bool one_each) {
  std::vector<double> all;
  for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), values.begin(), values.end());
  const Shape shape = one_each ? Shape{times} : Shape{times, values.size()};
  file.write<double>(name, NumberType::kFloat64, shape, all);
}

void write_pdearena_smoke(const WellReader& reader, Split split, const std::vector<int>& trajectories,
                          Hdf5File& file) {
  const Description& d = reader.description();
  const std::string group = to_string(split);
  const std::size_t count = trajectories.size();
  file.make_group(group);
  std::vector<Variable> variables = variables_of(d);
  for (Variable& variable : variables) {
    if (variable.name == "smoke") variable.name = "u";
    file.make_dataset(group + "/" + variable.name, NumberType::kFloat32,
                      {count, d.frames(), d.space[0].values.size(), d.space[1].values.size()});
  }
  copy_variables(reader, trajectories, variables, file, group + "/");
  const auto step = [](const std::vector<double>& v) { return v.size() > 1 ? v[1] - v[0] : 0; };
  repeat(file, group + "/t", count, d.frame_times, false);
  repeat(file, group + "/x", count, d.space[0].values, false);
  repeat(file, group + "/y", count, d.space[1].values, false);
  repeat(file, group + "/dt", count, {step(d.frame_times)}, true);
  repeat(file, group + "/dx", count, {step(d.space[0].values)}, true);
  repeat(file, group + "/dy", count, {step(d.space[1].values)}, true);
  repeat(file, group + "/buo_y", count, {constant(d, "buoyancy", 0)}, true);
}

std::string with_split(const std::string& out, Split split) {
  const fs::path path(out);
  fs::path name = path.stem();
  name += fmt::format("_{}", to_string(split));
  name += path.extension();
  return (path.parent_path() / name).string();
}

struct CfName {
  std::string standard_name, long_name;
};

CfName cf_name(const std::string& variable) {
  if (variable == "u") return {"eastward_wind", "eastward wind"};
  if (variable == "v") return {"northward_wind", "northward wind"};
  if (variable == "vorticity") return {"atmosphere_relative_vorticity", "relative vorticity"};
  return {"", variable};
}

// A coordinate variable, which is a dimension scale.
void write_coordinate(Hdf5File& file, const std::string& name, const std::vector<double>& values,
                      const std::string& units, const std::string& standard_name) {
  file.write<double>(name, NumberType::kFloat64, {values.size()}, values);
  file.make_scale(name, name);
  file.set(name, "units", units);
  if (!standard_name.empty()) file.set(name, "standard_name", standard_name);
}

void write_coordinates(Hdf5File& file, const Description& d, std::size_t trajectories,
                       const std::array<std::string, 2>& space) {
  std::vector<double> numbers(trajectories);
  for (std::size_t i = 0; i < trajectories; ++i) numbers[i] = static_cast<double>(i);
  write_coordinate(file, "trajectory", numbers, "1", "realization");
  write_coordinate(file, "time", d.frame_times, "seconds since 2000-01-01 00:00:00", "time");
  const bool sphere = d.grid_type == "spherical";
  for (std::size_t a = 0; a < 2; ++a)
    write_coordinate(file, space[a], d.space[a].values, d.space[a].unit,
                     sphere ? d.space[a].name : fmt::format("projection_{}_coordinate", d.space[a].name));
}

void write_root(Hdf5File& file, const Description& d) {
  file.set("/", "Conventions", "CF-1.10");
  file.set("/", "title", d.dataset);
  file.set("/", "source", fmt::format("gcan {} (commit {})", version(), commit()));
  file.set("/", "grid_type", d.grid_type);
  std::string options;
  for (const Parameter& option : d.options)
    options += fmt::format("{}{}={}", options.empty() ? "" : "; ", option.name, to_string(option.value));
  file.set("/", "gcan_options", options);
  for (const Parameter& parameter : d.constants)
    std::visit([&](const auto& value) { file.set("/", parameter.name, value); }, parameter.value);
}

// The split of each trajectory, as a CF flag variable.
void write_splits(Hdf5File& file, const Description& d, const std::vector<int>& trajectories) {
  std::vector<std::uint8_t> splits;
  splits.reserve(trajectories.size());
  for (const int i : trajectories) splits.push_back(static_cast<std::uint8_t>(d.split_of(i)));
  file.write<std::uint8_t>(kSplitVariable, NumberType::kUint8, {splits.size()}, splits);
  file.attach_scale(kSplitVariable, 0, "trajectory");
  file.set(kSplitVariable, "long_name", "part of the data set");
  file.set(kSplitVariable, "comment", "0 train, 1 valid, 2 test");
}

// Variables over (trajectory, time, space); pdearena's have a level axis between time and space.
void write_netcdf(const WellReader& reader, const std::vector<int>& trajectories, bool pdearena,
                  Hdf5File& file) {
  const Description& d = reader.description();
  const bool short_names = pdearena || d.grid_type == "spherical";
  const std::array<std::string, 2> space{short_names ? "lat" : d.space[0].name,
                                         short_names ? "lon" : d.space[1].name};
  write_root(file, d);
  write_coordinates(file, d, trajectories.size(), space);
  if (pdearena) write_coordinate(file, "lev", {1}, "1", "");
  write_splits(file, d, trajectories);
  std::vector<Variable> variables = variables_of(d);
  for (Variable& variable : variables) {
    const FieldInfo& field = d.fields[variable.field];
    if (pdearena && variable.name == "eta") variable.name = "pres";
    if (pdearena && variable.name == "vorticity") variable.name = "vor";
    std::vector<std::string> axes{"trajectory", "time", space[0], space[1]};
    Shape shape{trajectories.size(), d.frames(), d.space[0].values.size(), d.space[1].values.size()};
    if (pdearena && variable.name != "pres") {
      axes.insert(axes.begin() + 2, "lev");
      shape.insert(shape.begin() + 2, 1);
    }
    file.make_dataset(variable.name, NumberType::kFloat32, shape);
    for (unsigned a = 0; a < axes.size(); ++a) file.attach_scale(variable.name, a, axes[a]);
    const CfName name = cf_name(variable.name);
    file.set(variable.name, "units", field.unit);
    file.set(variable.name, "long_name", name.long_name);
    if (!name.standard_name.empty()) file.set(variable.name, "standard_name", name.standard_name);
  }
  copy_variables(reader, trajectories, variables, file, "");
  for (const StaticField& field : d.static_fields) {
    file.write<double>(field.name, NumberType::kFloat32, {d.space[0].values.size(), d.space[1].values.size()},
                       field.values);
    file.attach_scale(field.name, 0, space[0]);
    file.attach_scale(field.name, 1, space[1]);
    file.set(field.name, "units", field.unit);
    if (field.name == "orography") file.set(field.name, "standard_name", "surface_altitude");
  }
}

}  // namespace

Format parse_format(const std::string& name) {
  if (name == "pdearena") return Format::kPdearena;
  if (name == "netcdf") return Format::kNetcdf;
  throw Error(fmt::format("there is no format '{}'; use 'pdearena' or 'netcdf'", name));
}

std::vector<std::string> export_file(const WellReader& reader, Format format, const std::string& out) {
  const Description& d = reader.description();
  std::vector<std::string> written;
  if (format == Format::kNetcdf) {
    const auto trajectories = complete_ones(reader, {});
    if (trajectories.empty()) throw Error(reader.path() + ": has no complete trajectory");
    write_beside(out, [&](Hdf5File& file) { write_netcdf(reader, trajectories, false, file); });
    return {out};
  }
  for (const Split split : kSplits) {
    const auto trajectories = complete_ones(reader, split);
    if (trajectories.empty()) continue;
    const std::string name = with_split(out, split);
    write_beside(name, [&](Hdf5File& file) {
      if (d.grid_type == "spherical")
        write_netcdf(reader, trajectories, true, file);
      else
        write_pdearena_smoke(reader, split, trajectories, file);
    });
    written.push_back(name);
  }
  if (written.empty()) throw Error(reader.path() + ": has no complete trajectory");
  return written;
}

}  // namespace gcan::data
