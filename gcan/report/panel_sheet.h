#pragma once

#include <string>
#include <vector>

#include "gcan/report/field_map.h"
#include "gcan/report/gnuplot.h"

namespace gcan::report {

// A rectangle of a picture, in pixels from the upper left corner.
struct Rectangle {
  double left, top, width, height;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

// The colours of a panel's values.
struct PanelColours {
  ColourScale scale = ColourScale::viridis;
  double low = 0, high = 1;
  std::vector<double> numbers = {};  // at the colour bar; empty: round numbers
  std::string label = {};            // of the colour bar: "eta [m]"
};

// A gnuplot script that draws fields on one grid as panels at given positions. Texts and arrows are drawn
// with the panel or bar that follows them.
//
//   PanelSheet sheet(map, {900, 500}, folder);
//   sheet.text(450, 20, "day 3", "center");
//   sheet.panel({40, 40, 400, 200}, values, colours);
//   run_gnuplot(terminal + sheet.script(), folder);
class PanelSheet {
 public:
  PanelSheet(const FieldMap& map, const PictureSize& size, const ScratchFolder& folder);

  // Text at a position, with gnuplot's "left", "center", "right" and "rotate by 90".
  void text(double x, double y, const std::string& words, const std::string& how);
  // A colour bar, vertical with numbers on its right or horizontal with numbers below, and its label.
  void bar(const Rectangle& where, const PanelColours& colours);
  // Values (first axis, second axis). Values out of range have the colour of the nearest end; a panel without
  // finite values says so. With axes: numbers and names on the axes of a box.
  void panel(const Rectangle& where, const std::vector<float>& values, const PanelColours& colours,
             bool axes = false);
  // Arrows of a vector field (2, first axis, second axis) on the next panel; a vector of length `longest` is
  // drawn as long as the distance between two arrows.
  void arrows(const std::vector<float>& vectors, double longest);

  // The legend of an arrow of that length, followed by its text, for panels of this width.
  void arrow_scale(double x, double y, double panel_width, const std::string& words);

  // The names of the axes of boxes.
  void name_axes(const std::string& x, const std::string& y);
  // Starts a new page: the next picture of an animation.
  void next_page();
  // The script of all pages, which ends by closing the output.
  std::string script() const;

 private:
  std::string axes_script(bool axes) const;
  void place(const Rectangle& where);
  void plot(const std::string& what);
  std::string arrows_script(double panel_width);

  const FieldMap& map_;
  PictureSize size_;
  const ScratchFolder& folder_;
  std::string x_name_, y_name_;
  std::string script_, pending_;
  std::vector<float> vectors_;
  double longest_ = 1;
  int files_ = 0;
};

// The smallest of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that is at least the value, which must be
// positive.
double round_above(double value);

}  // namespace gcan::report
