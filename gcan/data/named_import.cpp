#include "gcan/data/named_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <sstream>

#include "gcan/base/error.h"
#include "gcan/base/statistics.h"
#include "gcan/data/exchange.h"

namespace gcan::data {
namespace {

namespace fs = std::filesystem;

enum class Role : std::size_t { trajectory, time, first, second, none };

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string text_or(const Hdf5File& file, const std::string& object, const char* name,
                    const std::string& otherwise) {
  return file.attribute_is_text(object, name) ? file.text(object, name) : otherwise;
}

void require_variable(const Hdf5File& file, const std::string& name, const char* option) {
  if (!name.empty() && file.has(name)) return;
  throw Error(fmt::format("{}: {}; it has {}", file.path(),
                          name.empty() ? fmt::format("which variable is {}?", option)
                                       : fmt::format("there is no variable '{}' for {}", name, option),
                          offered_variables(file.path())));
}

std::vector<double> differences(const std::vector<double>& values) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < values.size(); ++i) steps.push_back(values[i] - values[i - 1]);
  return steps;
}

// Describes the first place where the values are not evenly spaced, within a tolerance relative to the median
// distance; empty if there is none.
std::string unevenness(const std::vector<double>& values, double part) {
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
    return "has a number that is not finite";
  const std::vector<double> steps = differences(values);
  if (steps.empty()) return "";
  const double usual = base::median(steps);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (usual == 0 || std::abs(steps[i] - usual) > part * std::abs(usual))
      return fmt::format("is not evenly spaced: it goes from {:g} to {:g}, but the usual step is {:g}",
                         values[i], values[i + 1], usual);
  }
  return "";
}

std::vector<double> coordinate(const Hdf5File& file, const std::string& name, const char* option) {
  require_variable(file, name, option);
  if (const Shape shape = file.shape(name); shape.size() != 1)
    throw Error(
        fmt::format("{}: '{}' is {}, but a one-dimensional coordinate is expected; curved grids are "
                    "not supported",
                    file.path(), name, to_string(shape)));
  return file.read<double>(name);
}

std::vector<double> even_coordinate(const Hdf5File& file, const std::string& name, const char* option,
                                    double part) {
  std::vector<double> values = coordinate(file, name, option);
  if (const std::string problem = unevenness(values, part); !problem.empty())
    throw Error(fmt::format("{}: '{}' {}; interpolate to an even grid first", file.path(), name, problem));
  return values;
}

// The times of all frames, including skipped ones. A different first interval, as in files of `gcan simulate
// shallow-water`, is an error: --cut would use the times of the first piece for all.
std::vector<double> even_times(const Hdf5File& file, const NamedImport& request, double part) {
  std::vector<double> times = coordinate(file, request.time, "--time");
  if (static_cast<std::size_t>(request.skip) >= times.size())
    throw Error(
        fmt::format("{}: --skip omits {} frames, but there are {}", file.path(), request.skip, times.size()));
  const std::vector<double> kept(times.begin() + request.skip, times.end());
  const std::string problem = unevenness(kept, part);
  if (problem.empty()) return times;
  constexpr std::size_t kEnough = 4;  // frames that determine the usual interval
  if (kept.size() >= kEnough && unevenness({kept.begin() + 1, kept.end()}, part).empty())
    throw Error(
        fmt::format("{}: the first two frames are {:g} apart in '{}', but the others {:g}; omit the "
                    "first one with --skip {}",
                    file.path(), kept[1] - kept[0], request.time, kept[2] - kept[1], request.skip + 1));
  throw Error(
      fmt::format("{}: '{}' {}; select frames at even times first", file.path(), request.time, problem));
}

// "hours since 2000-01-01", "h", "days" in seconds; the default unit is seconds
double seconds_of(const Hdf5File& file, const std::string& time) {
  const std::string units = text_or(file, time, "units", "s");
  const std::string word = units.substr(0, units.find(' '));
  for (const auto& [names, seconds] :
       {std::pair<std::vector<std::string>, double>{{"s", "sec", "secs", "second", "seconds", "1"}, 1},
        {{"min", "mins", "minute", "minutes"}, 60},
        {{"h", "hr", "hrs", "hour", "hours"}, 3600},
        {{"d", "day", "days"}, 86400}})
    if (std::find(names.begin(), names.end(), word) != names.end()) return seconds;
  throw Error(fmt::format("{}: '{}' is in '{}', but seconds, minutes, hours or days are expected",
                          file.path(), time, units));
}

// A variable and the roles of its axes.
struct Source {
  std::string path;
  Shape shape;
  std::vector<Role> roles;
  double scale = 1, offset = 0;  // of packed numbers
  std::vector<double> missing;   // numbers that mark missing values
};

// The trajectories of one file.
struct Part {
  std::shared_ptr<Hdf5File> file;
  std::vector<std::vector<Source>> fields;
  std::vector<int> trajectories;  // by their numbers in the file
};

// Names and lengths of the possible axes, in the order of Role.
struct Axes {
  std::array<std::string, 4> names;
  std::array<std::uint64_t, 4> lengths;  // unknown for trajectories
  bool sphere = false;                   // the first axis of a sphere is y, of a box x
};

std::string axes_text(const Shape& shape, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < shape.size(); ++i)
    parts.push_back(names[i].empty() ? std::to_string(shape[i]) : fmt::format("{} {}", names[i], shape[i]));
  return fmt::format("({})", fmt::join(parts, ", "));
}

// Identifies axes by their names in the file.
std::vector<Role> roles_by_name(const std::vector<std::string>& names, const Axes& axes) {
  std::vector<Role> roles(names.size(), Role::none);
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t r = 0; r < 4; ++r)
      if (!names[i].empty() && names[i] == axes.names[r]) roles[i] = static_cast<Role>(r);
  return roles;
}

// Identifies unnamed axes by their lengths: (..., time, y, x), the usual order, or (..., time, x, y).
std::vector<Role> roles_by_length(const Shape& shape, const Axes& axes) {
  std::vector<Role> roles(shape.size(), Role::none);
  if (shape.size() < 3) return roles;
  const std::size_t n = shape.size();
  const auto length = [&](Role role) { return axes.lengths[static_cast<std::size_t>(role)]; };
  const auto y = axes.sphere ? Role::first : Role::second, x = axes.sphere ? Role::second : Role::first;
  for (const auto& [a, b] : {std::pair(y, x), std::pair(x, y)}) {
    for (std::size_t t = n - 3;; --t) {
      const bool levels = std::all_of(shape.begin() + static_cast<std::ptrdiff_t>(t) + 1,
                                      shape.begin() + static_cast<std::ptrdiff_t>(n) - 2,
                                      [](std::uint64_t l) { return l == 1; });
      if (levels && shape[t] == length(Role::time) && shape[n - 2] == length(a) &&
          shape[n - 1] == length(b)) {
        roles[t] = Role::time;
        roles[n - 2] = a;
        roles[n - 1] = b;
        return roles;
      }
      if (t == 0) break;
    }
  }
  return roles;
}

std::vector<Role> roles_of(const Hdf5File& file, const std::string& path, const Axes& axes) {
  const Shape shape = file.shape(path);
  const std::vector<std::string> names = file.axis_names(path);
  std::vector<Role> roles = roles_by_name(names, axes);
  const auto has = [&](Role role) { return std::count(roles.begin(), roles.end(), role) == 1; };
  if (std::all_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); }))
    roles = roles_by_length(shape, axes);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < roles.size(); ++i)
    if (roles[i] == Role::none && shape[i] != 1) left.push_back(i);
  if (left.size() == 1 && !has(Role::trajectory)) roles[left.front()] = Role::trajectory, left.clear();
  if (has(Role::time) && has(Role::first) && has(Role::second) && left.empty()) return roles;
  throw Error(
      fmt::format("{}: '{}' has the axes {}, but time, x, y and at most one axis of trajectories are "
                  "expected; select one index of the others first",
                  file.path(), path, axes_text(shape, names)));
}

Source source_of(const Hdf5File& file, const std::string& path, const Axes& axes) {
  Source source{path, file.shape(path), roles_of(file, path, axes), 1, 0, {}};
  for (std::size_t i = 0; i < source.roles.size(); ++i) {
    const auto role = static_cast<std::size_t>(source.roles[i]);
    if (source.roles[i] == Role::trajectory || source.roles[i] == Role::none) continue;
    if (source.shape[i] != axes.lengths[role])
      throw Error(fmt::format("{}: '{}' has {} points along '{}', but that has {}", file.path(), path,
                              source.shape[i], axes.names[role], axes.lengths[role]));
  }
  const auto number = [&](const char* name, double otherwise) {
    return file.has_attribute(path, name) && !file.attribute_is_text(path, name) ? file.number(path, name)
                                                                                 : otherwise;
  };
  source.scale = number("scale_factor", 1);
  source.offset = number("add_offset", 0);
  for (const char* name : {"_FillValue", "missing_value"})
    if (const double value = number(name, std::nan("")); std::isfinite(value))
      source.missing.push_back(value);
  return source;
}

std::uint64_t trajectories_of(const Source& source) {
  for (std::size_t i = 0; i < source.roles.size(); ++i)
    if (source.roles[i] == Role::trajectory) return source.shape[i];
  return 1;
}

// Common to all files.
struct Layout {
  Description description;
  Axes axes;
  std::size_t frames = 0;  // of an uncut trajectory
};

bool in_degrees(const Hdf5File& file, const std::string& name) {
  return text_or(file, name, "units", "").starts_with("degree");
}

Layout layout_of(const Hdf5File& file, const NamedImport& request) {
  // Gauss-Legendre latitudes are uneven by a few percent near the poles.
  constexpr double kEven = 1e-3, kLatitudes = 0.1;
  require_variable(file, request.x, "--x");
  require_variable(file, request.y, "--y");
  for (const NamedField& field : request.fields)
    for (const std::string& variable : field.variables)
      require_variable(file, variable, "--scalar or --vector");
  const bool sphere = in_degrees(file, request.x) && in_degrees(file, request.y);
  const std::vector<double> time = even_times(file, request, kEven);
  const std::vector<double> x = even_coordinate(file, request.x, "--x", kEven);
  const std::vector<double> y = even_coordinate(file, request.y, "--y", sphere ? kLatitudes : kEven);
  Layout layout;
  Description& d = layout.description;
  d.dataset = fs::path(request.files.front()).stem().string();
  d.grid_type = sphere ? "spherical" : "cartesian";
  const auto unit = [&](const std::string& name) { return text_or(file, name, "units", "1"); };
  if (sphere)
    d.space = {Axis{"latitude", "degrees_north", y, "OPEN"},
               Axis{"longitude", "degrees_east", x, "PERIODIC"}};
  else
    d.space = {Axis{"x", unit(request.x), x, "OPEN"}, Axis{"y", unit(request.y), y, "OPEN"}};
  const auto skip = static_cast<std::size_t>(request.skip);
  layout.frames = time.size() - skip;
  const std::size_t kept = request.cut > 0 ? static_cast<std::size_t>(request.cut) : layout.frames;
  if (kept > layout.frames)
    throw Error(fmt::format("{}: --cut asks for pieces of {} frames, but there are {}", file.path(), kept,
                            layout.frames));
  const double seconds = seconds_of(file, request.time);
  for (std::size_t i = 0; i < kept; ++i) d.frame_times.push_back((time[skip + i] - time[skip]) * seconds);
  const std::string first = sphere ? request.y : request.x, second = sphere ? request.x : request.y;
  layout.axes = {{request.trajectory, base_name(request.time), base_name(first), base_name(second)},
                 {0, time.size(), d.space[0].values.size(), d.space[1].values.size()},
                 sphere};
  for (const NamedField& field : request.fields) {
    FieldInfo info{field.name,
                   unit(field.variables.front()),
                   {},
                   text_or(file, field.variables.front(), "long_name", "")};
    if (field.variables.size() > 1)
      for (const std::string& variable : field.variables) info.components.push_back(base_name(variable));
    d.fields.push_back(info);
  }
  return layout;
}

void check_same_grid(const Layout& first, const Layout& other, const std::string& file) {
  const auto differ = [](const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() != b.size() || !std::equal(a.begin(), a.end(), b.begin(), [](double p, double q) {
             return std::abs(p - q) <= 1e-6 * std::max({1.0, std::abs(p), std::abs(q)});
           });
  };
  const Description &a = first.description, &b = other.description;
  if (a.grid_type == b.grid_type && !differ(a.frame_times, b.frame_times) &&
      !differ(a.space[0].values, b.space[0].values) && !differ(a.space[1].values, b.space[1].values))
    return;
  throw Error(fmt::format("{}: its grid or times differ from those of the previous files", file));
}

// Numbers of one variable of a piece, (frames, first axis, second axis).
std::vector<float> read_piece(const Hdf5File& file, const Source& source, int trajectory,
                              std::size_t first_frame, std::size_t frames) {
  const std::size_t n = source.shape.size();
  Shape start(n, 0), count = source.shape;
  for (std::size_t i = 0; i < n; ++i) {
    if (source.roles[i] == Role::trajectory) start[i] = static_cast<std::uint64_t>(trajectory), count[i] = 1;
    if (source.roles[i] == Role::time) start[i] = first_frame, count[i] = frames;
  }
  const std::vector<double> stored = file.read_part<double>(source.path, start, count);
  std::array<std::size_t, 4> stride{}, length{1, 1, 1, 1};
  std::size_t step = 1;
  for (std::size_t i = n; i-- > 0; step *= count[i]) {
    if (source.roles[i] == Role::none) continue;
    stride[static_cast<std::size_t>(source.roles[i])] = step;
    length[static_cast<std::size_t>(source.roles[i])] = count[i];
  }
  std::vector<float> values;
  values.reserve(stored.size());
  for (std::size_t t = 0; t < length[1]; ++t) {
    for (std::size_t a = 0; a < length[2]; ++a) {
      for (std::size_t b = 0; b < length[3]; ++b) {
        const double raw = stored[t * stride[1] + a * stride[2] + b * stride[3]];
        const bool missing =
            std::find(source.missing.begin(), source.missing.end(), raw) != source.missing.end();
        const auto value = static_cast<float>(raw * source.scale + source.offset);
        if (missing || !std::isfinite(value))
          throw Error(fmt::format(
              "{}: '{}' has a missing value at frame {} of trajectory {}; fill missing values first",
              file.path(), source.path, first_frame + t, trajectory));
        values.push_back(value);
      }
    }
  }
  return values;
}

Trajectory read_trajectory(const Part& part, int trajectory, std::size_t first_frame, const Description& d) {
  Trajectory data = empty_trajectory(d);
  for (std::size_t f = 0; f < part.fields.size(); ++f) {
    const std::size_t n = part.fields[f].size();
    for (std::size_t c = 0; c < n; ++c) {
      const std::vector<float> values =
          read_piece(*part.file, part.fields[f][c], trajectory, first_frame, d.frames());
      for (std::size_t i = 0; i < values.size(); ++i) data.fields[f][i * n + c] = values[i];
    }
  }
  return data;
}

// One trajectory of the new file.
struct Piece {
  std::size_t part;
  int trajectory;
  std::size_t piece;
  Split split;
};

std::vector<Piece> pieces_of(const std::vector<Part>& parts, std::size_t per_trajectory,
                             const std::array<int, 2>& held_out) {
  std::vector<Piece> pieces;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::vector<Split> splits = file_splits(*parts[p].file, parts[p].trajectories.size());
    for (const int i : parts[p].trajectories)
      for (std::size_t k = 0; k < per_trajectory; ++k)
        pieces.push_back({p, i, k, splits[static_cast<std::size_t>(i)]});
  }
  const auto held = static_cast<std::size_t>(held_out[0] + held_out[1]);
  if (held > 0) {
    if (held >= pieces.size())
      throw Error(fmt::format(
          "--valid and --test ask for {} trajectories, but there are {}; leave some for training{}", held,
          pieces.size(), per_trajectory == 1 ? ", or cut them into pieces with --cut N" : ""));
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::size_t from_end = pieces.size() - i;
      pieces[i].split = from_end <= static_cast<std::size_t>(held_out[1]) ? Split::test
                        : from_end <= held                                ? Split::valid
                                                                          : Split::train;
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.split < b.split; });
  return pieces;
}

NamedField named(const std::string& text, const std::string& otherwise) {
  const auto equals = text.find('=');
  NamedField field;
  std::istringstream variables(equals == std::string::npos ? text : text.substr(equals + 1));
  for (std::string part; std::getline(variables, part, ',');) field.variables.push_back(part);
  field.name = equals == std::string::npos ? otherwise : text.substr(0, equals);
  return field;
}

}  // namespace

NamedField scalar_named(const std::string& text) {
  NamedField field = named(text, base_name(text));
  if (field.variables.size() == 1 && !field.name.empty() && !field.variables.front().empty()) return field;
  throw Error(fmt::format("--scalar expects one variable, as in 'p' or 'pressure=p', not '{}'", text));
}

NamedField vector_named(const std::string& text) {
  NamedField field = named(text, "velocity");
  if (field.variables.size() == 2 && !field.name.empty() && !field.variables[0].empty() &&
      !field.variables[1].empty())
    return field;
  throw Error(fmt::format("--vector expects two variables, as in 'u,v' or 'wind=u,v', not '{}'", text));
}

std::string offered_variables(const std::string& path) {
  const Hdf5File file(path, Hdf5File::Mode::kRead);
  std::vector<std::string> all;
  for (const std::string& name : file.members("/")) {
    try {
      all.push_back(fmt::format("{} {}", name, axes_text(file.shape(name), file.axis_names(name))));
    } catch (const Error&) {
      all.push_back(fmt::format("{}/", name));  // a group
    }
  }
  return all.empty() ? "nothing" : fmt::format("{}", fmt::join(all, ", "));
}

void import_named(const NamedImport& request, const std::function<void(int total, int done)>& done) {
  std::optional<Layout> layout;
  std::vector<Part> parts;
  for (const std::string& name : request.files) {
    const auto file = std::make_shared<Hdf5File>(name, Hdf5File::Mode::kRead);
    const Layout own = layout_of(*file, request);
    if (layout) check_same_grid(*layout, own, name);
    if (!layout) layout = own;
    Part part{file, {}, {}};
    std::uint64_t count = 0;
    for (const NamedField& field : request.fields) {
      part.fields.emplace_back();
      for (const std::string& variable : field.variables) {
        part.fields.back().push_back(source_of(*file, variable, own.axes));
        const std::uint64_t here = trajectories_of(part.fields.back().back());
        if (count != 0 && here != count)
          throw Error(fmt::format("{}: '{}' has {} trajectories, but the previous variables have {}", name,
                                  variable, here, count));
        count = here;
      }
    }
    part.trajectories.resize(count);
    std::iota(part.trajectories.begin(), part.trajectories.end(), 0);
    parts.push_back(part);
  }
  Description& d = layout->description;
  for (std::size_t i = 0; i < d.frames(); ++i) d.frame_steps.push_back(static_cast<std::int32_t>(i));
  const std::vector<Piece> pieces = pieces_of(parts, layout->frames / d.frames(), request.held_out);
  for (const Piece& piece : pieces) ++d.splits[static_cast<std::size_t>(piece.split)];
  std::vector<std::string> names;
  for (const std::string& file : request.files) names.push_back(fs::path(file).filename().string());
  std::vector<std::string> fields;
  for (const NamedField& field : request.fields)
    fields.push_back(fmt::format("{}={}", field.name, fmt::join(field.variables, ",")));
  d.options = {{"imported", fmt::format("{}", fmt::join(names, " ")), "1"},
               {"variables", fmt::format("{}", fmt::join(fields, " ")), "1"},
               {"skip", std::int64_t{request.skip}, "1"},
               {"cut", std::int64_t{request.cut}, "1"},
               {"trajectories", static_cast<std::int64_t>(pieces.size()), "1"},
               {"valid", std::int64_t{d.splits[1]}, "1"},
               {"test", std::int64_t{d.splits[2]}, "1"}};
  if (already_written(request.out, d)) return;
  WellWriter writer(request.out, d, request.compress);
  const int total = static_cast<int>(pieces.size());
  for (const int i : writer.missing()) {
    const Piece& piece = pieces[static_cast<std::size_t>(i)];
    const std::size_t first_frame = static_cast<std::size_t>(request.skip) + piece.piece * d.frames();
    writer.write(i, read_trajectory(parts[piece.part], piece.trajectory, first_frame, d));
    if (done) done(total, i + 1);
  }
  writer.finish();
}

}  // namespace gcan::data
