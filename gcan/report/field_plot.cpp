#include "gcan/report/field_plot.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include "gcan/base/error.h"
#include "gcan/report/equal_earth.h"
#include "gcan/report/field_map.h"
#include "gcan/report/gnuplot.h"

namespace gcan::report {
namespace {

namespace fs = std::filesystem;

// A field to draw and how to read it.
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
  throw Error(fmt::format("{}: there is no field '{}'; use one of {}", reader.path(), wanted, known));
}

std::vector<float> values_of(const data::WellReader& reader, const Source& source, int trajectory,
                             std::size_t frame) {
  if (source.kind == Source::Kind::kStatic) {
    const auto& values = reader.description().static_fields[source.field].values;
    return {values.begin(), values.end()};
  }
  std::vector<float> all = reader.frame(source.field, trajectory, frame);
  if (source.kind == Source::Kind::kScalar) return all;
  const std::size_t n = reader.description().fields[source.field].elements();
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

// A drawing: its file, frames and their titles.
class Drawing {
 public:
  Drawing(const data::Description& d, const Source& source, bool animated, std::string out)
      : d_(d), source_(source), animated_(animated), out_(std::move(out)), map_(d, animated ? 640 : 1440) {}

  void frame(const std::vector<float>& values, const std::string& title) {
    write_floats(path(titles_.size()), map_.pixels(values));
    titles_.push_back(title);
  }

  void draw(const ColourRange& range) {
    map_.write_lines(folder_.path());
    std::string script = terminal() + palette(range.diverging) + "unset key\nset size ratio -1\n";
    script += fmt::format("set cbrange [{}:{}]\nset cblabel {} noenhanced offset 0.8,0\n", range.low,
                          range.high, gnuplot_text(source_.label + unit_text(source_.unit)));
    script += map_.frame() + (map_.sphere() ? sphere_frame() : box_frame());
    // Dark lines on palettes with a light centre, white lines on viridis.
    for (std::size_t i = 0; i < titles_.size(); ++i)
      script += fmt::format("set title {} noenhanced\nplot {}{}\n", gnuplot_text(titles_[i]),
                            map_.image(path(i)), map_.lines(folder_.path(), range.diverging));
    script += "unset output\n";
    run_gnuplot(script, folder_);
  }

 private:
  fs::path path(std::size_t i) const { return folder_.path() / fmt::format("frame{}.bin", i); }

  std::string terminal() const {
    const int w = map_.sphere() ? (animated_ ? 900 : 1500) : (animated_ ? 540 : 1060);
    const int h = map_.sphere() ? (animated_ ? 460 : 760) : (animated_ ? 480 : 950);
    const std::string kind =
        animated_ ? fmt::format("gif animate delay 15 loop 0 size {},{} font 'DejaVuSans,10'", w, h)
                  : fmt::format("pngcairo size {},{} font 'DejaVu Sans,20' linewidth 1.5", w, h);
    return fmt::format("set encoding utf8\nset terminal {}\nset output {}\n", kind, gnuplot_text(out_));
  }

  static std::string sphere_frame() {
    return "set lmargin 7\nset rmargin 12\nset bmargin 2\nset tmargin 2\n"
           "set colorbox user origin graph 1.02, graph 0.1 size graph 0.02, graph 0.8\n" +
           map_labels();
  }

  std::string box_frame() const {
    std::string text = "set tics out nomirror\nset border lw 1\nset rmargin 6\n";
    for (std::size_t a = 0; a < 2; ++a)
      text += fmt::format("set {}label {} noenhanced\n", a == 0 ? "x" : "y",
                          gnuplot_text(d_.space[a].name + unit_text(d_.space[a].unit)));
    return text;
  }

  const data::Description& d_;
  const Source& source_;
  bool animated_;
  std::string out_;
  FieldMap map_;
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
  // Single frames are read without checksum, so verify the trajectory first.
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
                                                 time_text(d, d.frame_times[first_frame + i])));
    drawing.draw(range);
  });
}

}  // namespace gcan::report
