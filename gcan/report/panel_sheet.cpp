#include "gcan/report/panel_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "gcan/base/error.h"

namespace gcan::report {
namespace {

constexpr double kArrowsApart = 18, kArrowsAcross = 16;  // minimal distance in pixels, maximal number

bool any_finite(const std::vector<float>& values) {
  return std::any_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

constexpr const char* kBare = "unset xtics\nunset ytics\nunset y2tics\nunset xlabel\nunset ylabel\n";

double part_of(const PanelColours& colours, double value) {
  return (value - colours.low) / (colours.high - colours.low);
}

std::string numbers_of(const PanelColours& colours) {
  if (colours.numbers.empty()) return fmt::format("{}", round_above((colours.high - colours.low) / 5));
  std::string places;
  for (const double number : colours.numbers)
    places += fmt::format("{}'{:.3g}' {}", places.empty() ? "" : ", ", number, number);
  return fmt::format("({})", places);
}

}  // namespace

double round_above(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (value <= step * power * (1 + 1e-9)) return step * power;
  return 10 * power;
}

PanelSheet::PanelSheet(const FieldMap& map, const PictureSize& size, const ScratchFolder& folder)
    : map_(map), size_(size), folder_(folder) {
  map_.write_lines(folder_.path());
}

void PanelSheet::text(double x, double y, const std::string& words, const std::string& how) {
  pending_ += fmt::format("set label {} at screen {},{} {} noenhanced\n", gnuplot_text(words),
                          x / size_.width, 1 - y / size_.height, how);
}

void PanelSheet::place(const Rectangle& where) {
  script_ += fmt::format(
      "set lmargin at screen {}\nset rmargin at screen {}\nset bmargin at screen {}\nset tmargin at screen "
      "{}\n",
      where.left / size_.width, where.right() / size_.width, 1 - where.bottom() / size_.height,
      1 - where.top / size_.height);
}

void PanelSheet::plot(const std::string& what) {
  script_ += pending_ + "plot " + what + "\nunset label\nunset arrow\n";
  pending_.clear();
}

void PanelSheet::bar(const Rectangle& where, const PanelColours& colours) {
  const bool upright = where.height > where.width;
  constexpr int kSteps = 256;
  std::vector<float> values;
  // Two pixels wide: gnuplot does not draw images with one.
  const auto colour = [&](int i) {
    return static_cast<float>(joint_colour(colours.scale, (i + 0.5) / kSteps));
  };
  for (int i = 0; i < 2 * kSteps; ++i) values.push_back(colour(upright ? i / 2 : i % kSteps));
  const std::filesystem::path file = folder_.path() / fmt::format("bar{}.bin", files_++);
  write_floats(file, values);
  constexpr double kBeside = 62, kBelow = 32;  // to the label, over the numbers
  if (upright)
    text(where.right() + kBeside, where.top + where.height / 2, colours.label, "center rotate by 90");
  else
    text(where.left + where.width / 2, where.bottom() + kBelow, colours.label, "center");
  place(where);
  const char* across = upright ? "x" : "y";
  const char* along = upright ? "y" : "x";
  script_ += fmt::format("{}set border 15 lw 0.8\nset {}range [0:1]\nset {}range [{}:{}]\n", kBare, across,
                         along, colours.low, colours.high);
  if (upright)
    script_ += fmt::format("set y2range [{}:{}]\nset y2tics {} out scale 0.4 offset -0.4,0\n", colours.low,
                           colours.high, numbers_of(colours));
  else
    script_ += fmt::format("set xtics {} out nomirror scale 0.4 offset 0,0.3\n", numbers_of(colours));
  const double step = (colours.high - colours.low) / kSteps, first = colours.low + step / 2;
  plot(fmt::format(
      "{} binary array=({}) format='%float' origin=({},{}) dx={} dy={} with image",
      gnuplot_text(file.string()), upright ? fmt::format("2,{}", kSteps) : fmt::format("{},2", kSteps),
      upright ? 0.25 : first, upright ? first : 0.25, upright ? 0.5 : step, upright ? step : 0.5));
}

void PanelSheet::arrows(const std::vector<float>& vectors, double longest) {
  vectors_ = vectors;
  longest_ = longest;
}

void PanelSheet::arrow_scale(double x, double y, double panel_width, const std::string& words) {
  const double length = std::max(kArrowsApart, panel_width / kArrowsAcross);
  pending_ +=
      fmt::format("set arrow from screen {},{} to screen {},{} size screen 0.006,25 nofilled lw 0.8\n",
                  x / size_.width, 1 - y / size_.height, (x + length) / size_.width, 1 - y / size_.height);
  text(x + length + 4, y, words, "left");
}

std::string PanelSheet::arrows_script(double panel_width) {
  if (vectors_.empty()) return "";
  const std::size_t rows = map_.rows(), columns = map_.columns(), points = rows * columns;
  const std::string file = (folder_.path() / fmt::format("arrows{}", files_++)).string();
  std::ofstream out(file);
  // On a map rows are stacked, in a box they are side by side.
  const double apart = map_.width() * std::max(kArrowsApart / panel_width, 1 / kArrowsAcross);
  const double tall = map_.sphere() ? map_.height() : map_.width();
  const double wide = map_.sphere() ? map_.width() : map_.height();
  const auto stride = [&](double length, std::size_t count) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(count) * apart / length));
  };
  for (std::size_t i = stride(tall, rows) / 2; i < rows; i += stride(tall, rows)) {
    for (std::size_t j = stride(wide, columns) / 2; j < columns; j += stride(wide, columns)) {
      const auto u = static_cast<double>(vectors_[i * columns + j]);
      const auto v = static_cast<double>(vectors_[points + i * columns + j]);
      const double length = std::hypot(u, v) / longest_;
      if (!std::isfinite(length) || length < 0.15) continue;  // too short to show a direction
      const double scale = apart * std::min(1.5, length) / std::hypot(u, v);
      const MapPoint at = map_.place(i, j), way = map_.direction(i, j, u * scale, v * scale);
      out << fmt::format("{} {} {} {}\n", at.x - way.x / 2, at.y - way.y / 2, way.x, way.y);
    }
  }
  vectors_.clear();
  if (out.tellp() == 0) return "";  // calm everywhere
  if (!out.flush()) throw Error(file + ": cannot be written; is the disk full?");
  return fmt::format(
      ", {} using 1:2:3:4 with vectors head size screen 0.006,25 nofilled lc rgb '#FFFFFF' lw 0.8",
      gnuplot_text(file));
}

void PanelSheet::name_axes(const std::string& x, const std::string& y) {
  x_name_ = x;
  y_name_ = y;
}

std::string PanelSheet::axes_script(bool axes) const {
  if (map_.sphere()) return "";
  std::string text = "set border 15 lw 0.8\n";
  if (!axes) return text;
  return text + fmt::format(
                    "set xtics {} out nomirror scale 0.5 offset 0,0.3\nset ytics {} out nomirror scale 0.5 "
                    "offset 0.5,0\nset xlabel {} noenhanced offset 0,0.7\nset ylabel {} noenhanced offset "
                    "1.2,0\n",
                    round_above(map_.width() / 3), round_above(map_.height() / 3), gnuplot_text(x_name_),
                    gnuplot_text(y_name_));
}

void PanelSheet::panel(const Rectangle& where, const std::vector<float>& values, const PanelColours& colours,
                       bool axes) {
  std::vector<float> pixels = map_.pixels(values);
  for (float& pixel : pixels)
    if (std::isfinite(pixel))
      pixel = static_cast<float>(joint_colour(colours.scale, part_of(colours, static_cast<double>(pixel))));
  const std::filesystem::path file = folder_.path() / fmt::format("panel{}.bin", files_++);
  write_floats(file, pixels);
  if (!any_finite(values))
    text(where.left + where.width / 2, where.top + where.height / 2, "not finite", "center");
  place(where);
  script_ += kBare + map_.frame() + axes_script(axes);
  plot(map_.image(file) + map_.lines(folder_.path(), colours.scale != ColourScale::viridis) +
       arrows_script(where.width));
}

void PanelSheet::next_page() { script_ += "unset multiplot\nset multiplot\n"; }

std::string PanelSheet::script() const {
  return joint_palette() + "set cbrange [0:1]\nunset colorbox\nunset key\nset multiplot\n" + script_ +
         "unset multiplot\nunset output\n";
}

}  // namespace gcan::report
