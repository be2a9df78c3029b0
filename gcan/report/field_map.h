#pragma once

// Maps fields on grids to pictures, for all pictures of fields: projection, pixels, colours and gnuplot
// scripts.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "gcan/data/well_file.h"
#include "gcan/report/equal_earth.h"

namespace gcan::report {

struct ColourRange {
  double low, high;
  bool diverging;  // centred on zero
};

// The range of all finite values, centred on zero if both signs occur. Error if no value is finite.
ColourRange range_of(const std::vector<std::vector<float>>& frames);

// Perceptually uniform palettes: viridis; Moreland's cool-to-warm for both signs; its warm half for
// non-negative values.
enum class ColourScale { viridis, cool_warm, warm };
std::string palette(bool diverging);

// All scales in one palette, because the colours of a GIF are limited. joint_colour(scale, value) maps a
// value of a scale, from 0 to 1, to the joint palette, from 0 to 1.
std::string joint_palette();
double joint_colour(ColourScale scale, double value);

// "day 2.50" on the sphere, "t = 1.5 s" in a box.
std::string time_text(const data::Description& grid, double time);
std::string unit_text(const std::string& unit);  // " [m/s]"; empty for the unit "1"

// Writes numbers for gnuplot. Error if the disk is full.
void write_floats(const std::filesystem::path& path, const std::vector<float>& values);

// A two-dimensional grid mapped to the plane. A sphere (with latitude in degrees as first axis) becomes an
// Equal Earth map of `width` pixels, centred on the meridian 180; a box keeps its shape, with the first axis
// to the right and the second upwards.
//
//   const FieldMap map(reader.description(), 480);
//   write_floats("pixels", map.pixels(values));
//   script += map.frame() + "plot " + map.image("pixels") + map.lines(folder, false);
class FieldMap {
 public:
  // Error if an axis has no points.
  FieldMap(const data::Description& grid, int width);

  bool sphere() const { return sphere_; }
  double width() const { return high_.x - low_.x; }  // in the units of its axes
  double height() const { return high_.y - low_.y; }
  double aspect() const { return height() / width(); }
  std::size_t rows() const { return axes_[0].size(); }  // of the grid, along the first axis
  std::size_t columns() const { return axes_[1].size(); }

  // The pixels in rows from the bottom; NaN, which gnuplot skips, outside the map. The values are (first
  // axis, second axis).
  std::vector<float> pixels(const std::vector<float>& values) const;
  // For a "plot" command: the pixels in a file.
  std::string image(const std::filesystem::path& file) const;
  // Sets the ranges of the axes; on the sphere without border and ticks.
  std::string frame() const;

  // On the sphere: writes graticule and outline into the folder and draws them over an image, with light
  // lines, or dark ones for palettes with a light centre. Empty for a box.
  void write_lines(const std::filesystem::path& folder) const;
  std::string lines(const std::filesystem::path& folder, bool dark) const;

  // The position of a row (first axis) and column (second axis).
  MapPoint place(std::size_t row, std::size_t column) const;
  // The direction of a vector at that position, with its length preserved: its components are along the axes
  // of a box, or eastward and northward.
  MapPoint direction(std::size_t row, std::size_t column, double first, double second) const;

 private:
  // A pixel's interpolation: four neighbours and their weights.
  struct Stencil {
    std::size_t at[4];
    float weight[4];
    bool inside;
  };
  Stencil stencil(const GeoPoint& place) const;

  bool sphere_;
  std::vector<double> axes_[2];
  std::size_t across_, upwards_;  // pixels
  MapPoint low_, high_;           // corners
  std::vector<Stencil> stencils_;
};

}  // namespace gcan::report
