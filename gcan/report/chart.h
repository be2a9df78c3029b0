#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gcan::report {

enum class Marker { none, filled, hollow };

// One line of a chart.
struct Series {
  std::string name;            // in the legend; omitted if empty
  std::string page_name = {};  // in the legend of a page, which names every series; default: `name`
  std::vector<double> x, y;
  std::size_t colour = 0;  // series of one colour are related
  Marker marker = Marker::none;
  bool dashed = false;
  bool faint = false;      // thin and light, behind the others
  bool reference = false;  // grey, with `colour` as dash pattern: a reference
};

// Lines over two axes, in colours suitable for the colour-blind.
//
//   Chart chart{.x_label = "step", .y_label = "error", .y_log = true};
//   chart.series.push_back({.name = "MLP", .x = {1, 2}, .y = {0.5, 0.2}});
//   draw_chart(chart, "error.png");
struct Chart {
  std::string title = {};
  std::string x_label, y_label;
  bool x_log = false, y_log = false;
  std::vector<double> x_ticks = {};  // positions of the ticks; automatic if empty
  std::vector<Series> series = {};
};

// Draws a .png, .svg or .pdf. Skips values that are not finite, or not positive on a logarithmic axis; Error
// if nothing remains, if x and y differ in length, or for another extension.
void draw_chart(const Chart& chart, const std::string& out);

}  // namespace gcan::report
