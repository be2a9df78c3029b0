#pragma once

// How the field of a grid is put on paper, shared by all pictures of fields: the projection, the pixels, the
// colours and the scripts that gnuplot draws them by.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "gcan/data/well_file.h"
#include "gcan/report/equal_earth.h"

namespace gcan::report {

struct ColourRange {
  double low, high;
  bool diverging;  // zero is in the middle
};

// The range of all finite values; zero in its middle where both signs occur. Error where nothing is finite.
ColourRange range_of(const std::vector<std::vector<float>>& frames);

// Of even perception: viridis; Moreland's cool to warm for both signs; its warm half for what is never below
// zero.
enum class ColourScale { viridis, cool_warm, warm };
std::string palette(bool diverging);

// All scales in one palette, for pictures that need several: a GIF has room for the colours of one. A value
// of a scale, 0 to 1 from its lower to its upper end, is in the joint palette at joint_colour(scale, value),
// for a range of colours from 0 to 1.
std::string joint_palette();
double joint_colour(ColourScale scale, double value);

// "day 2.50" on the sphere, "t = 1.5 s" in a box.
std::string time_text(const data::Description& grid, double time);
std::string unit_text(const std::string& unit);  // " [m/s]"; nothing for the unit "1"

// Numbers as gnuplot reads them. Error when the disk is full.
void write_floats(const std::filesystem::path& path, const std::vector<float>& values);

// A grid of two dimensions on the plane. The sphere (its first axis the latitude in degrees) becomes an Equal
// Earth map `width` pixels wide, whose middle is the meridian 180; a box stays what it is, its first axis
// rightwards, its second upwards.
//
//   const FieldMap map(reader.description(), 480);
//   write_floats("pixels", map.pixels(values));
//   script += map.frame() + "plot " + map.image("pixels") + map.lines(folder, false);
class FieldMap {
 public:
  // Error where an axis has no points.
  FieldMap(const data::Description& grid, int width);

  bool sphere() const { return sphere_; }
  double width() const { return high_.x - low_.x; }  // on paper, in the units of its axes
  double height() const { return high_.y - low_.y; }
  double aspect() const { return height() / width(); }
  std::size_t rows() const { return axes_[0].size(); }  // of the grid: points of the first axis
  std::size_t columns() const { return axes_[1].size(); }

  // What to draw, in lines of constant y from below; NaN outside of the map, which gnuplot leaves out. The
  // values are (first axis, second axis).
  std::vector<float> pixels(const std::vector<float>& values) const;
  // For a "plot" command: the pixels in a file.
  std::string image(const std::filesystem::path& file) const;
  // The ranges of the axes; on the sphere without border and numbers.
  std::string frame() const;

  // On the sphere: writes graticule and outline into the folder, and draws them over an image: light lines,
  // or dark ones over a palette with a light middle. Nothing for a box.
  void write_lines(const std::filesystem::path& folder) const;
  std::string lines(const std::filesystem::path& folder, bool dark) const;

  // Where the value of a row (first axis) and column (second axis) stands.
  MapPoint place(std::size_t row, std::size_t column) const;
  // How a vector there lies on paper, as long as it was: its components are along the axes of a box, or
  // eastward and northward.
  MapPoint direction(std::size_t row, std::size_t column, double first, double second) const;

 private:
  // A pixel's value: four neighbours and their weights.
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
