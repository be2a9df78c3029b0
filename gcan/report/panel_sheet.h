#pragma once

#include <string>
#include <vector>

#include "gcan/report/field_map.h"
#include "gcan/report/gnuplot.h"

namespace gcan::report {

// A rectangle of a picture, in its pixels from the upper left corner.
struct Rectangle {
  double left, top, width, height;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

// How the values of a panel become colours.
struct PanelColours {
  ColourScale scale = ColourScale::viridis;
  double low = 0, high = 1;
  std::vector<double> numbers = {};  // at the bar; round ones when empty
  std::string label = {};            // of the bar: "eta [m]"
};

// A script that draws fields of one grid side by side, each where it is wanted. Texts and arrows come
// with the panel or bar that follows them.
//
//   PanelSheet sheet(map, {900, 500}, folder);
//   sheet.text(450, 20, "day 3", "center");
//   sheet.panel({40, 40, 400, 200}, values, colours);
//   run_gnuplot(terminal + sheet.script(), folder);
class PanelSheet {
 public:
  PanelSheet(const FieldMap& map, const PictureSize& size, const ScratchFolder& folder);

  // Words at a place, with gnuplot's "left", "center", "right" and "rotate by 90".
  void text(double x, double y, const std::string& words, const std::string& how);
  // A bar of colours, upright with numbers at its right or lying with numbers below, and its label.
  void bar(const Rectangle& where, const PanelColours& colours);
  // Values (first axis, second axis). What is beyond the range has the colour of its end; where nothing is
  // finite, the panel says so. With axes: numbers and names of the axes of a box.
  void panel(const Rectangle& where, const std::vector<float>& values, const PanelColours& colours,
             bool axes = false);
  // Arrows over the panel that follows, of a vector field (2, first axis, second axis); `longest` is that of
  // an arrow as long as two arrows are apart.
  void arrows(const std::vector<float>& vectors, double longest);

  // What an arrow of that length means, drawn with its words behind it: for panels of this width.
  void arrow_scale(double x, double y, double panel_width, const std::string& words);

  // For axes of boxes: their names.
  void name_axes(const std::string& x, const std::string& y);
  // What follows is on a new page: the next picture of an animation.
  void next_page();
  // All pages, after which the output is closed.
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

// The least of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that is not below the value, which is positive.
double round_above(double value);

}  // namespace gcan::report
