#include "gcan/report/field_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>

#include "gcan/base/error.h"
#include "gcan/report/gnuplot.h"

namespace gcan::report {
namespace {

namespace fs = std::filesystem;

const double kMapWidth = equal_earth({kPi, 0}).x, kMapHeight = equal_earth({0, kPi / 2}).y;

constexpr std::array<const char*, 9> kViridis{"#440154", "#472D7B", "#3B528B", "#2C728E", "#21918C",
                                              "#28AE80", "#5EC962", "#ADDC30", "#FDE725"};
constexpr std::array<const char*, 9> kCoolWarm{"#3B4CC0", "#6788EE", "#9ABBFF", "#C9D7F0", "#F2F2F2",
                                               "#EDD1C2", "#F7A889", "#E26952", "#B40426"};

// A section of a palette with evenly spaced colours from `low` to `high`.
std::string stops(const std::array<const char*, 9>& colours, double low, double high) {
  std::string text;
  for (std::size_t i = 0; i < colours.size(); ++i)
    text += fmt::format("{}{} '{}'", i == 0 ? "" : ", ", low + (high - low) * static_cast<double>(i) / 8,
                        colours[i]);
  return text;
}

double spacing(const std::vector<double>& axis) {
  if (axis.size() < 2) return 1;
  return (axis.back() - axis.front()) / static_cast<double>(axis.size() - 1);
}

}  // namespace

ColourRange range_of(const std::vector<std::vector<float>>& frames) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& frame : frames) {
    for (const float value : frame) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, static_cast<double>(value));
      high = std::max(high, static_cast<double>(value));
    }
  }
  if (low > high) throw Error("there is nothing to draw: the field has no finite numbers there");
  const double most = std::max(std::abs(low), std::abs(high));
  if (low < -0.05 * most && high > 0.05 * most) return {-most, most, true};
  if (low == high) return {low - 0.5, high + 0.5, false};
  return {low, high, false};
}

std::string palette(bool diverging) {
  return fmt::format("set palette defined ({})\n", stops(diverging ? kCoolWarm : kViridis, 0, 1));
}

std::string joint_palette() {
  return fmt::format("set palette defined ({}, {})\n", stops(kViridis, 0, 0.5), stops(kCoolWarm, 0.5, 1));
}

double joint_colour(ColourScale scale, double value) {
  // Not quite to the ends, where the other scale begins.
  const double part = 0.001 + 0.998 * std::clamp(value, 0.0, 1.0);
  switch (scale) {
    case ColourScale::viridis: return part / 2;
    case ColourScale::cool_warm: return 0.5 + part / 2;
    case ColourScale::warm: return 0.75 + part / 4;
  }
  return 0;
}

std::string time_text(const data::Description& grid, double time) {
  constexpr double kDay = 86400;
  return grid.grid_type == "spherical" ? fmt::format("day {:.2f}", time / kDay)
                                       : fmt::format("t = {:.4g} s", time);
}

std::string unit_text(const std::string& unit) {
  if (unit.empty() || unit == "1") return "";
  return std::string(" [").append(unit).append("]");
}

void write_floats(const fs::path& path, const std::vector<float>& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(float)));
  if (!file.flush()) throw Error(path.string() + ": cannot be written; is the disk full?");
}

FieldMap::FieldMap(const data::Description& grid, int width)
    : sphere_(grid.grid_type == "spherical" && grid.space[0].unit.starts_with("degree")),
      axes_{grid.space[0].values, grid.space[1].values} {
  for (const auto& axis : grid.space)
    if (axis.values.empty())
      throw Error(
          fmt::format("the axis '{}' of the grid has no points; there is nothing to draw", axis.name));
  if (!sphere_) {
    const double dx = spacing(axes_[0]), dy = spacing(axes_[1]);
    low_ = {axes_[0].front() - dx / 2, axes_[1].front() - dy / 2};
    high_ = {axes_[0].back() + dx / 2, axes_[1].back() + dy / 2};
    across_ = axes_[0].size();
    upwards_ = axes_[1].size();
    return;
  }
  low_ = {-kMapWidth, -kMapHeight};
  high_ = {kMapWidth, kMapHeight};
  across_ = static_cast<std::size_t>(std::max(width, 2));
  upwards_ = std::max<std::size_t>(static_cast<std::size_t>(width * kMapHeight / kMapWidth), 2);
  stencils_.reserve(across_ * upwards_);
  for (std::size_t j = 0; j < upwards_; ++j) {
    const double y = kMapHeight * (static_cast<double>(2 * j + 1) / static_cast<double>(upwards_) - 1);
    for (std::size_t i = 0; i < across_; ++i) {
      const double x = kMapWidth * (static_cast<double>(2 * i + 1) / static_cast<double>(across_) - 1);
      const GeoPoint place = from_equal_earth({x, y});
      if (std::abs(place.longitude) > kPi)
        stencils_.push_back({{}, {}, false});
      else  // Centred on the meridian 180, so that the edge of the map is where the data begins.
        stencils_.push_back(stencil({place.longitude + kPi, place.latitude}));
    }
  }
}

// Interpolates between the grid points around a position; latitudes may be in either direction.
FieldMap::Stencil FieldMap::stencil(const GeoPoint& place) const {
  const auto& latitudes = axes_[0];
  const std::size_t rows = latitudes.size(), columns = axes_[1].size();
  const double latitude = place.latitude / kDegree;
  const bool downwards = latitudes.front() > latitudes.back();
  const auto before = [&](double a, double b) { return downwards ? a > b : a < b; };
  const auto next = static_cast<std::size_t>(
      std::lower_bound(latitudes.begin(), latitudes.end(), latitude, before) - latitudes.begin());
  const std::size_t below = std::min(next, rows - 1), above = next == 0 ? 0 : next - 1;
  const double gap = latitudes[below] - latitudes[above];
  const double fy = gap == 0 || next == rows ? 0 : (latitude - latitudes[above]) / gap;
  double column = (place.longitude / kDegree - axes_[1].front()) / 360 * static_cast<double>(columns);
  column -= std::floor(column / static_cast<double>(columns)) * static_cast<double>(columns);
  const std::size_t left = static_cast<std::size_t>(column) % columns, right = (left + 1) % columns;
  const double fx = column - std::floor(column);
  return {{above * columns + left, above * columns + right, below * columns + left, below * columns + right},
          {static_cast<float>((1 - fy) * (1 - fx)), static_cast<float>((1 - fy) * fx),
           static_cast<float>(fy * (1 - fx)), static_cast<float>(fy * fx)},
          true};
}

std::vector<float> FieldMap::pixels(const std::vector<float>& values) const {
  std::vector<float> result(across_ * upwards_, std::numeric_limits<float>::quiet_NaN());
  if (!sphere_) {
    for (std::size_t i = 0; i < across_; ++i)
      for (std::size_t j = 0; j < upwards_; ++j) result[j * across_ + i] = values[i * upwards_ + j];
    return result;
  }
  for (std::size_t p = 0; p < result.size(); ++p) {
    const Stencil& s = stencils_[p];
    if (!s.inside) continue;
    result[p] = 0;
    for (std::size_t k = 0; k < 4; ++k) result[p] += s.weight[k] * values[s.at[k]];
  }
  return result;
}

std::string FieldMap::image(const fs::path& file) const {
  const double dx = (high_.x - low_.x) / static_cast<double>(across_);
  const double dy = (high_.y - low_.y) / static_cast<double>(upwards_);
  return fmt::format("{} binary array=({},{}) format='%float' origin=({},{}) dx={} dy={} with image",
                     gnuplot_text(file.string()), across_, upwards_, low_.x + dx / 2, low_.y + dy / 2, dx,
                     dy);
}

std::string FieldMap::frame() const {
  // The outline of a map is a line of some width.
  const double x = sphere_ ? 0.005 * kMapWidth : 0, y = sphere_ ? 0.01 * kMapHeight : 0;
  return fmt::format("{}set xrange [{}:{}]\nset yrange [{}:{}]\n",
                     sphere_ ? "unset border\nunset xtics\nunset ytics\n" : "", low_.x - x, high_.x + x,
                     low_.y - y, high_.y + y);
}

void FieldMap::write_lines(const fs::path& folder) const {
  if (!sphere_) return;
  std::ofstream grid(folder / "grid"), edge(folder / "edge");
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
  if (!grid.flush() || !edge.flush())
    throw Error(folder.string() + ": the lines of the map cannot be written; is the disk full?");
}

std::string FieldMap::lines(const fs::path& folder, bool dark) const {
  if (!sphere_) return "";
  return fmt::format(", {} with lines lc rgb '{}' lw 0.6, {} with lines lc rgb '#303030' lw 1.2",
                     gnuplot_text((folder / "grid").string()), dark ? "#909090" : "#D0D0E0",
                     gnuplot_text((folder / "edge").string()));
}

MapPoint FieldMap::place(std::size_t row, std::size_t column) const {
  if (!sphere_) return {axes_[0][row], axes_[1][column]};
  double longitude = axes_[1][column] - 180;
  longitude -= 360 * std::floor((longitude + 180) / 360);
  return equal_earth({longitude * kDegree, axes_[0][row] * kDegree});
}

MapPoint FieldMap::direction(std::size_t row, std::size_t column, double first, double second) const {
  if (!sphere_) return {first, second};
  // A short displacement on the sphere and its image on the map.
  constexpr double kShort = 1e-4;
  const double latitude = axes_[0][row] * kDegree, longitude = axes_[1][column] * kDegree - kPi;
  const double circle = std::max(std::cos(latitude), 1e-3);
  const MapPoint a = equal_earth({longitude, latitude});
  const MapPoint b = equal_earth({longitude + kShort * first / circle, latitude + kShort * second});
  const double x = b.x - a.x, y = b.y - a.y, length = std::hypot(x, y);
  if (length == 0) return {0, 0};
  const double scale = std::hypot(first, second) / length;
  return {x * scale, y * scale};
}

}  // namespace gcan::report
