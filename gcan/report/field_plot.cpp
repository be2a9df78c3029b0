#include "gcan/report/field_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <utility>

#include "gcan/algebra/error.h"
#include "gcan/report/equal_earth.h"
#include "gcan/report/gnuplot.h"

namespace gcan::report {
namespace {

namespace fs = std::filesystem;

constexpr double kPi = std::numbers::pi, kDegree = kPi / 180;

// What to draw and how to get it from the file.
struct Source {
  enum class Kind { kScalar, kComponent, kSpeed, kStatic } kind = Kind::kScalar;
  std::size_t field = 0, component = 0;
  std::string label, unit;
};

std::vector<std::pair<std::string, Source>> sources(const data::Description& d) {
  std::vector<std::pair<std::string, Source>> all;
  for (std::size_t f = 0; f < d.fields.size(); ++f) {
    const auto& field = d.fields[f];
    if (field.components.empty())
      all.push_back({field.name, {Source::Kind::kScalar, f, 0, field.name, field.unit}});
    for (std::size_t c = 0; c < field.components.size(); ++c)
      all.push_back({field.components[c], {Source::Kind::kComponent, f, c, field.components[c], field.unit}});
    if (field.name == "velocity") all.push_back({"speed", {Source::Kind::kSpeed, f, 0, "speed", field.unit}});
  }
  for (std::size_t f = 0; f < d.static_fields.size(); ++f) {
    const auto& field = d.static_fields[f];
    all.push_back({field.name, {Source::Kind::kStatic, f, 0, field.name, field.unit}});
  }
  return all;
}

Source source_of(const data::WellReader& reader, const std::string& wanted) {
  const auto all = sources(reader.description());
  for (const auto& [name, source] : all)
    if (wanted.empty() || name == wanted) return source;
  std::string known;
  for (const std::string& name : plottable_fields(reader.description()))
    known.append(known.empty() ? "" : ", ").append(name);
  throw Error(fmt::format("{}: there is no field '{}'; take one of {}", reader.path(), wanted, known));
}

std::vector<float> values_of(const data::WellReader& reader, const Source& source, int trajectory,
                             std::size_t frame) {
  if (source.kind == Source::Kind::kStatic) {
    const auto& values = reader.description().static_fields[source.field].values;
    return {values.begin(), values.end()};
  }
  std::vector<float> all = reader.frame(source.field, trajectory, frame);
  if (source.kind == Source::Kind::kScalar) return all;
  const std::size_t n = reader.description().fields[source.field].numbers();
  std::vector<float> result(all.size() / n);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (source.kind == Source::Kind::kComponent) {
      result[i] = all[i * n + source.component];
    } else {
      float squares = 0;
      for (std::size_t c = 0; c < n; ++c) squares += all[i * n + c] * all[i * n + c];
      result[i] = std::sqrt(squares);
    }
  }
  return result;
}

struct ColourRange {
  double low, high;
  bool diverging;
};

// The same colours for all frames of an animation; zero in the middle where both signs occur.
ColourRange range_of(const std::vector<std::vector<float>>& frames) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& frame : frames) {
    for (const float value : frame) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, static_cast<double>(value));
      high = std::max(high, static_cast<double>(value));
    }
  }
  if (low > high) throw Error("there is nothing to draw: the field holds no finite number there");
  const double most = std::max(std::abs(low), std::abs(high));
  if (low < -0.05 * most && high > 0.05 * most) return {-most, most, true};
  if (low == high) return {low - 0.5, high + 0.5, false};
  return {low, high, false};
}

// viridis, and Moreland's diverging cool to warm.
constexpr const char* kViridis =
    "set palette defined (0 '#440154', 1 '#472D7B', 2 '#3B528B', 3 '#2C728E', 4 '#21918C', 5 '#28AE80', "
    "6 '#5EC962', 7 '#ADDC30', 8 '#FDE725')\n";
constexpr const char* kCoolWarm =
    "set palette defined (0 '#3B4CC0', 1 '#6788EE', 2 '#9ABBFF', 3 '#C9D7F0', 4 '#F2F2F2', 5 '#EDD1C2', "
    "6 '#F7A889', 7 '#E26952', 8 '#B40426')\n";

void write_floats(const fs::path& path, const std::vector<float>& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(float)));
  if (!file.flush()) throw Error(path.string() + ": cannot be written; is the disk full?");
}

// Value between the grid points around a place; the rows run from north to south.
double interpolated(const data::Description& d, const std::vector<float>& values, const GeoPoint& place) {
  const auto& latitudes = d.space[0].values;
  const std::size_t rows = latitudes.size(), columns = d.space[1].values.size();
  const double latitude = place.latitude / kDegree;
  const bool downwards = latitudes.front() > latitudes.back();
  const auto before = [&](double a, double b) { return downwards ? a > b : a < b; };
  const auto next = static_cast<std::size_t>(
      std::lower_bound(latitudes.begin(), latitudes.end(), latitude, before) - latitudes.begin());
  const std::size_t below = std::min(next, rows - 1), above = next == 0 ? 0 : next - 1;
  const double gap = latitudes[below] - latitudes[above];
  const double fy = gap == 0 || next == rows ? 0 : (latitude - latitudes[above]) / gap;
  double column =
      (place.longitude / kDegree - d.space[1].values.front()) / 360 * static_cast<double>(columns);
  column -= std::floor(column / static_cast<double>(columns)) * static_cast<double>(columns);
  const std::size_t left = static_cast<std::size_t>(column) % columns, right = (left + 1) % columns;
  const double fx = column - std::floor(column);
  const auto along = [&](std::size_t row) {
    return (1 - fx) * static_cast<double>(values[row * columns + left]) +
           fx * static_cast<double>(values[row * columns + right]);
  };
  return (1 - fy) * along(above) + fy * along(below);
}

const double kMapWidth = equal_earth({kPi, 0}).x, kMapHeight = equal_earth({0, kPi / 2}).y;

// The map as pixels from the south-west; outside NaN, which gnuplot leaves out.
std::vector<float> map_pixels(const data::Description& d, const std::vector<float>& values, int width,
                              int height) {
  std::vector<float> pixels;
  pixels.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int j = 0; j < height; ++j) {
    const double y = kMapHeight * ((2 * j + 1.0) / height - 1);
    for (int i = 0; i < width; ++i) {
      const GeoPoint place = from_equal_earth({kMapWidth * ((2 * i + 1.0) / width - 1), y});
      const bool inside = std::abs(place.longitude) <= kPi;
      // The map's middle is the meridian 180, so that its edge is where the data begins.
      pixels.push_back(
          inside ? static_cast<float>(interpolated(d, values, {place.longitude + kPi, place.latitude}))
                 : std::numeric_limits<float>::quiet_NaN());
    }
  }
  return pixels;
}

void write_graticule(const fs::path& lines, const fs::path& outline) {
  std::ofstream grid(lines), edge(outline);
  const auto point = [](std::ofstream& file, double longitude, double latitude) {
    const MapPoint p = equal_earth({longitude * kDegree, latitude * kDegree});
    file << p.x << ' ' << p.y << '\n';
  };
  for (int longitude = -120; longitude <= 120; longitude += 60) {
    for (int latitude = -90; latitude <= 90; latitude += 3) point(grid, longitude, latitude);
    grid << '\n';
  }
  for (int latitude = -60; latitude <= 60; latitude += 30) {
    point(grid, -180, latitude);
    point(grid, 180, latitude);
    grid << '\n';
  }
  for (int latitude = -90; latitude <= 90; latitude += 3) point(edge, -180, latitude);
  for (int latitude = 90; latitude >= -90; latitude -= 3) point(edge, 180, latitude);
  point(edge, -180, -90);
}

std::string map_labels() {
  std::string text;
  for (int latitude = -60; latitude <= 60; latitude += 30) {
    const MapPoint p = equal_earth({-kPi, latitude * kDegree});
    const std::string name = latitude == 0  ? "0°"
                             : latitude > 0 ? fmt::format("{}°N", latitude)
                                            : fmt::format("{}°S", -latitude);
    text += fmt::format("set label '{}' at {},{} front right offset -0.9,0\n", name, p.x, p.y);
  }
  for (int longitude = 0; longitude <= 360; longitude += 60) {
    const MapPoint p = equal_earth({(longitude - 180) * kDegree, -kPi / 2});
    const std::string name = longitude % 360 == 0 ? "0°"
                             : longitude == 180   ? "180°"
                             : longitude < 180    ? fmt::format("{}°E", longitude)
                                                  : fmt::format("{}°W", 360 - longitude);
    text += fmt::format("set label '{}' at {},{} front center offset 0,-0.9\n", name, p.x, p.y);
  }
  return text;
}

std::string time_text(const data::Description& d, std::size_t frame) {
  const double time = d.frame_times[frame];
  constexpr double kDay = 86400;
  return d.grid_type == "spherical" ? fmt::format("day {:.2f}", time / kDay)
                                    : fmt::format("t = {:g} s", time);
}

std::string unit_text(const std::string& unit) {
  if (unit == "1") return "";
  return std::string(" [").append(unit).append("]");
}

// One drawing: the file it goes to, frames and their titles.
class Drawing {
 public:
  Drawing(const data::Description& d, const Source& source, bool animated, std::string out)
      : d_(d),
        source_(source),
        sphere_(d.grid_type == "spherical"),
        animated_(animated),
        out_(std::move(out)) {}

  void frame(const std::vector<float>& values, const std::string& title) {
    const fs::path path = folder_.path() / fmt::format("frame{}.bin", titles_.size());
    write_floats(path, sphere_ ? map_pixels(d_, values, width(), height()) : box_pixels(values));
    titles_.push_back(title);
  }

  void draw(const ColourRange& range) {
    diverging_ = range.diverging;
    if (sphere_) write_graticule(folder_.path() / "grid", folder_.path() / "edge");
    std::string script = terminal() + (range.diverging ? kCoolWarm : kViridis);
    script += fmt::format("set cbrange [{}:{}]\nset cblabel {} offset 0.8,0\n", range.low, range.high,
                          gnuplot_text(source_.label + unit_text(source_.unit)));
    script += sphere_ ? sphere_frame() : box_frame();
    for (std::size_t i = 0; i < titles_.size(); ++i)
      script += fmt::format("set title {}\nplot {}\n", gnuplot_text(titles_[i]), layers(i));
    script += "unset output\n";
    run_gnuplot(script, folder_);
  }

 private:
  int width() const { return animated_ ? 640 : 1440; }
  int height() const { return static_cast<int>(width() * kMapHeight / kMapWidth); }

  std::string terminal() const {
    const int w = sphere_ ? (animated_ ? 900 : 1500) : (animated_ ? 540 : 1060);
    const int h = sphere_ ? (animated_ ? 460 : 760) : (animated_ ? 480 : 950);
    const std::string kind =
        animated_ ? fmt::format("gif animate delay 15 loop 0 size {},{} font 'DejaVuSans,10'", w, h)
                  : fmt::format("pngcairo size {},{} font 'DejaVu Sans,20' linewidth 1.5", w, h);
    return fmt::format("set encoding utf8\nset terminal {}\nset output {}\n", kind, gnuplot_text(out_));
  }

  std::string sphere_frame() const {
    return fmt::format(
               "unset border\nunset xtics\nunset ytics\nunset key\nset xrange [{}:{}]\nset yrange [{}:{}]\n"
               "set size ratio -1\nset lmargin 7\nset rmargin 12\nset bmargin 2\nset tmargin 2\n"
               "set colorbox user origin graph 1.02, graph 0.1 size graph 0.02, graph 0.8\n",
               -kMapWidth * 1.005, kMapWidth * 1.005, -kMapHeight * 1.01, kMapHeight * 1.01) +
           map_labels();
  }

  std::string box_frame() const {
    const auto edge = [](const data::Axis& axis, bool last) {
      const double half =
          (axis.values.back() - axis.values.front()) / static_cast<double>(axis.values.size() - 1) / 2;
      return last ? axis.values.back() + half : axis.values.front() - half;
    };
    std::string text =
        "unset key\nset size ratio -1\nset tics out nomirror\nset border lw 1\nset rmargin 6\n";
    for (std::size_t a = 0; a < 2; ++a) {
      const char* axis = a == 0 ? "x" : "y";
      text += fmt::format("set {}range [{}:{}]\nset {}label {}\n", axis, edge(d_.space[a], false),
                          edge(d_.space[a], true), axis,
                          gnuplot_text(d_.space[a].name + unit_text(d_.space[a].unit)));
    }
    return text;
  }

  std::string layers(std::size_t i) const {
    const std::string path = gnuplot_text((folder_.path() / fmt::format("frame{}.bin", i)).string());
    if (!sphere_) {
      const auto& x = d_.space[0].values;
      const auto& y = d_.space[1].values;
      return fmt::format("{} binary array=({},{}) format='%float' origin=({},{}) dx={} dy={} with image",
                         path, x.size(), y.size(), x.front(), y.front(), x[1] - x[0], y[1] - y[0]);
    }
    const double step = 2 * kMapWidth / width(), rise = 2 * kMapHeight / height();
    return fmt::format(
        "{} binary array=({},{}) format='%float' origin=({},{}) dx={} dy={} with image, {} with lines lc rgb "
        "'{}' lw 0.7, {} with lines lc rgb '#303030' lw 1.2",
        path, width(), height(), -kMapWidth + step / 2, -kMapHeight + rise / 2, step, rise,
        gnuplot_text((folder_.path() / "grid").string()), diverging_ ? "#60404040" : "#60FFFFFF",
        gnuplot_text((folder_.path() / "edge").string()));
  }

  // gnuplot wants lines of constant y, the file has lines of constant x.
  std::vector<float> box_pixels(const std::vector<float>& values) const {
    const std::size_t nx = d_.space[0].values.size(), ny = d_.space[1].values.size();
    std::vector<float> pixels(values.size());
    for (std::size_t i = 0; i < nx; ++i)
      for (std::size_t j = 0; j < ny; ++j) pixels[j * nx + i] = values[i * ny + j];
    return pixels;
  }

  const data::Description& d_;
  const Source& source_;
  bool sphere_, animated_;
  bool diverging_ = false;  // light in the middle: dark lines show on it, on viridis white ones
  std::string out_;
  ScratchFolder folder_;
  std::vector<std::string> titles_;
};

}  // namespace

std::vector<std::string> plottable_fields(const data::Description& description) {
  std::vector<std::string> names;
  for (const auto& [name, source] : sources(description)) names.push_back(name);
  return names;
}

void plot_field(const data::WellReader& reader, const PlotOptions& options) {
  const data::Description& d = reader.description();
  const Source source = source_of(reader, options.field);
  const std::size_t last = d.frames() - 1;
  const std::size_t first_frame = options.animate ? 0 : options.frame.value_or(last);
  const std::size_t end = options.animate ? d.frames() : first_frame + 1;
  // Single frames are read unchecked; damage is to be told, not drawn.
  if (source.kind != Source::Kind::kStatic) (void)reader.field(source.field, options.trajectory);
  std::vector<std::vector<float>> frames;
  for (std::size_t frame = first_frame; frame < end; ++frame)
    frames.push_back(values_of(reader, source, options.trajectory, frame));
  const ColourRange range = range_of(frames);
  draw_beside(options.out, [&](const std::string& beside) {
    Drawing drawing(d, source, options.animate, beside);
    for (std::size_t i = 0; i < frames.size(); ++i)
      drawing.frame(frames[i], source.kind == Source::Kind::kStatic
                                   ? source.label
                                   : fmt::format("{}, trajectory {}, {}", source.label, options.trajectory,
                                                 time_text(d, first_frame + i)));
    drawing.draw(range);
  });
}

}  // namespace gcan::report
