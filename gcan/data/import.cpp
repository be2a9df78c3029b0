#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <numeric>

#include "gcan/base/error.h"
#include "gcan/data/exchange.h"
#include "gcan/data/named_import.h"

namespace gcan::data {
namespace {

namespace fs = std::filesystem;

// A dataset of trajectories: (trajectory, frame, space...), possibly with a level axis before space, or one
// trajectory without the first axis.
struct Variable {
  std::string path;
  Shape shape;  // as stored
  bool has_trajectories;
};

// The trajectories of one group of one file.
struct Part {
  std::shared_ptr<Hdf5File> file;
  Split split = Split::train;
  std::vector<std::vector<Variable>> fields;  // by field and component
  std::vector<int> trajectories;              // indices in the file
};

// "run_valid_2.nc" is valid; "latest.nc" does not contain the word 'test'.
Split split_in_name(const std::string& text) {
  for (const Split split : {Split::test, Split::valid}) {
    const std::string word = to_string(split);
    const auto letter = [&](std::size_t at) {
      return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
    };
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      if (!letter(at - 1) && !letter(at + word.size())) return split;
  }
  return Split::train;
}

// The two known kinds of data and the names of their variables.
struct Kind {
  std::string dataset, grid_type;
  std::vector<FieldInfo> fields;
  std::vector<std::vector<std::string>> names;          // of each field's components in the file
  std::array<std::vector<std::string>, 2> coordinates;  // possible names of the axes in the file
  std::string boundary[2];
};

Kind smoke_kind(const std::string& smoke) {
  return {"navier-stokes",
          "cartesian",
          {{"smoke", "1", {}, "density of smoke; at cell centres"},
           {"velocity", "m/s", {"vx", "vy"}, "staggered: on the left and the lower face of each cell"}},
          {{smoke}, {"vx", "vy"}},
          {{{"x"}, {"y"}}},
          {"WALL", "WALL"}};
}

Kind water_kind(const std::string& surface) {
  return {"shallow-water",
          "spherical",
          {{"eta", "m", {}, "displacement of the surface; the public data's 'pres'"},
           {"velocity", "m/s", {"u", "v"}, "wind eastward (u) and northward (v)"}},
          {{surface}, {"u", "v"}},
          {{{"lat", "latitude"}, {"lon", "longitude"}}},
          {"OPEN", "PERIODIC"}};
}

bool has_all(const Hdf5File& file, const std::string& group, const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return file.has(group + name); });
}

std::optional<Kind> kind_of(const Hdf5File& file, const std::string& group) {
  for (const char* smoke : {"u", "smoke"})
    if (has_all(file, group, {smoke, "vx", "vy"})) return smoke_kind(smoke);
  for (const char* surface : {"pres", "eta"})
    if (has_all(file, group, {surface, "u", "v"})) return water_kind(surface);
  return {};
}

[[noreturn]] void fail_foreign(const Hdf5File& file) {
  throw Error(
      file.path() +
      ": neither pdearena's HDF5 (a group train, valid or test with u, vx, vy) nor NetCDF-4 with pres or "
      "eta, u, v or smoke, vx, vy; name its variables, as in '--scalar p --vector u,v --time t --x "
      "lon "
      "--y lat': it has " +
      offered_variables(file.path()));
}

Variable variable_of(const Hdf5File& file, const std::string& path) {
  Shape shape = file.shape(path);
  // Axes: (trajectory) time (level) first second; the level axis has length one. With four axes, only the
  // presence of levels distinguishes one run with a level from several runs without.
  const bool level =
      shape.size() >= 4 && shape[shape.size() - 3] == 1 && (shape.size() == 5 || file.has("lev"));
  const std::size_t rest = shape.size() - (level ? 1 : 0);
  if (rest != 3 && rest != 4)
    throw Error(fmt::format("{}: '{}' is {}, but (trajectory, time, space, space) is expected", file.path(),
                            path, to_string(shape)));
  return {path, shape, rest == 4};
}

std::vector<double> coordinate(const Hdf5File& file, const std::string& group,
                               const std::vector<std::string>& names, std::uint64_t length) {
  for (const std::string& name : names) {
    if (!file.has(group + name)) continue;
    std::vector<double> values = file.read<double>(group + name);
    if (values.size() < length) break;
    values.resize(length);  // pdearena repeats the coordinates for every trajectory
    return values;
  }
  std::vector<double> numbers(length);  // indices, if the file has no coordinates
  for (std::size_t i = 0; i < length; ++i) numbers[i] = static_cast<double>(i);
  return numbers;
}

// "hours since ..." and the like [s]
double seconds_per_unit(const Hdf5File& file, const std::string& time) {
  if (!file.attribute_is_text(time, "units")) return 1;
  const std::string units = file.text(time, "units");
  if (units.starts_with("min")) return 60;
  if (units.starts_with("h")) return 3600;
  return units.starts_with("d") ? 86400 : 1;
}

// One part for each split of the file's trajectories.
std::vector<Part> by_split(const Part& all) {
  if (!all.file->has(kSplitVariable)) return {all};
  const std::vector<Split> splits = file_splits(*all.file, all.trajectories.size());
  std::vector<Part> parts;
  for (const Split split : kSplits) {
    Part part = all;
    part.split = split;
    std::erase_if(part.trajectories, [&](int i) { return splits[static_cast<std::size_t>(i)] != split; });
    if (!part.trajectories.empty()) parts.push_back(part);
  }
  return parts;
}

Part part_of(const std::shared_ptr<Hdf5File>& file, const std::string& group, const Kind& kind) {
  Part part;
  part.file = file;
  part.split = split_in_name(group.empty() ? fs::path(file->path()).filename().string() : group);
  for (const auto& names : kind.names) {
    part.fields.emplace_back();
    for (const std::string& name : names) part.fields.back().push_back(variable_of(*file, group + name));
  }
  const Variable& first = part.fields[0][0];
  constexpr std::uint64_t kMost = 100'000'000;  // of a split: trajectory_number()
  if (first.has_trajectories && first.shape[0] > kMost)
    throw Error(fmt::format("{}: '{}' claims {} trajectories, but at most {} are read", file->path(),
                            first.path, first.shape[0], kMost));
  part.trajectories.resize(first.has_trajectories ? first.shape[0] : 1);
  std::iota(part.trajectories.begin(), part.trajectories.end(), 0);
  return part;
}

std::vector<float> read_variable(const Hdf5File& file, const Variable& variable, int trajectory) {
  Shape start(variable.shape.size(), 0), count = variable.shape;
  if (variable.has_trajectories) {
    start[0] = static_cast<std::uint64_t>(trajectory);
    count[0] = 1;
  }
  return file.read_part<float>(variable.path, start, count);
}

Trajectory read_trajectory(const Part& part, int trajectory, const Description& d) {
  Trajectory data = empty_trajectory(d);
  for (std::size_t f = 0; f < part.fields.size(); ++f) {
    const std::size_t n = part.fields[f].size();
    for (std::size_t c = 0; c < n; ++c) {
      const std::vector<float> values = read_variable(*part.file, part.fields[f][c], trajectory);
      if (values.size() * n != data.fields[f].size())
        throw Error(fmt::format("{}: '{}' has {} numbers a trajectory, but {} are expected",
                                part.file->path(), part.fields[f][c].path, values.size(),
                                data.fields[f].size() / n));
      for (std::size_t i = 0; i < values.size(); ++i) data.fields[f][i * n + c] = values[i];
    }
  }
  return data;
}

struct Found {
  Description description;
  std::vector<Part> parts;  // by split
};

void describe_first(const Hdf5File& file, const std::string& group, const Kind& kind, Found& found) {
  Description& d = found.description;
  const Variable& variable = found.parts.front().fields[0][0];
  const Shape& shape = variable.shape;
  d.dataset = kind.dataset;
  d.grid_type = kind.grid_type;
  d.fields = kind.fields;
  for (std::size_t a = 0; a < 2; ++a) {
    const std::uint64_t length = shape[shape.size() - 2 + a];
    d.space[a] = {
        d.grid_type == "spherical" ? (a == 0 ? "latitude" : "longitude") : kind.coordinates[a].front(),
        d.grid_type == "spherical" ? (a == 0 ? "degrees_north" : "degrees_east") : "m",
        coordinate(file, group, kind.coordinates[a], length), kind.boundary[a]};
  }
  const std::uint64_t frames = shape[variable.has_trajectories ? 1 : 0];
  d.frame_times = coordinate(file, group, {"time", "t"}, frames);
  for (double& time : d.frame_times) time *= seconds_per_unit(file, group + "time");
  if (file.has(group + "orography"))
    d.static_fields = {{"orography", "m", file.read<double>(group + "orography")}};
  for (const std::string& name : file.attributes("/"))
    if (!file.attribute_is_text("/", name) && !name.starts_with("_")) {
      try {
        d.constants.push_back({name, file.number("/", name), "1"});
      } catch (const Error&) {
        continue;  // a list or boolean is not a constant of the equations
      }
    }
}

Found look_into(const std::vector<std::string>& files) {
  Found found;
  std::string names;
  for (const std::string& name : files) {
    const auto file = std::make_shared<Hdf5File>(name, Hdf5File::Mode::kRead);
    bool any = false;
    for (const std::string group : {"", "train/", "valid/", "test/"}) {
      const auto kind = kind_of(*file, group);
      if (!kind) continue;
      any = true;
      for (const Part& part : by_split(part_of(file, group, *kind))) found.parts.push_back(part);
      if (found.description.fields.empty()) describe_first(*file, group, *kind, found);
      if (kind->dataset != found.description.dataset)
        throw Error(fmt::format("{}: contains {}, but the previous files contain {}", name, kind->dataset,
                                found.description.dataset));
    }
    if (!any) fail_foreign(*file);
    names.append(names.empty() ? "" : " ").append(fs::path(name).filename().string());
  }
  found.description.options.push_back({"imported", names, "1"});
  std::stable_sort(found.parts.begin(), found.parts.end(),
                   [](const Part& a, const Part& b) { return a.split < b.split; });
  for (const Part& part : found.parts)
    found.description.splits[static_cast<std::size_t>(part.split)] +=
        static_cast<int>(part.trajectories.size());
  return found;
}

}  // namespace

std::vector<Split> file_splits(const Hdf5File& file, std::size_t trajectories) {
  const Split named = split_in_name(fs::path(file.path()).filename().string());
  std::vector<Split> splits(trajectories, named);
  if (!file.has(kSplitVariable) || file.shape(kSplitVariable) != Shape{trajectories}) return splits;
  const auto numbers = file.read<std::uint8_t>(kSplitVariable);
  for (std::size_t i = 0; i < trajectories; ++i) {
    if (numbers[i] > 2)
      throw Error(fmt::format("{}: '{}' contains a number above 2; 0 is train, 1 valid, 2 test", file.path(),
                              kSplitVariable));
    splits[i] = static_cast<Split>(numbers[i]);
  }
  return splits;
}

void import_files(const std::vector<std::string>& files, const std::string& out, bool compress) {
  const Found found = look_into(files);
  if (already_written(out, found.description)) return;
  WellWriter writer(out, found.description, compress);
  const auto missing = writer.missing();
  int index = 0;
  for (const Part& part : found.parts) {
    for (const int i : part.trajectories) {
      if (std::binary_search(missing.begin(), missing.end(), index))
        writer.write(index, read_trajectory(part, i, found.description));
      ++index;
    }
  }
  writer.finish();
}

}  // namespace gcan::data
