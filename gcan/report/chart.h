#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gcan::report {

enum class Marker { none, filled, hollow };

// One line of a chart.
struct Series {
  std::string name;            // in the key; not there when empty
  std::string page_name = {};  // in the key of a page, where every series is named; empty: the name
  std::vector<double> x, y;
  std::size_t colour = 0;  // series of one colour belong together
  Marker marker = Marker::none;
  bool dashed = false;
  bool faint = false;      // thin and light, behind the others
  bool reference = false;  // grey, the colour being its dashes: something to compare with
};

// Lines over two axes, in colours that the colour-blind tell apart.
//
//   Chart chart{.x_label = "step", .y_label = "error", .y_log = true};
//   chart.series.push_back({.name = "MLP", .x = {1, 2}, .y = {0.5, 0.2}});
//   draw_chart(chart, "error.png");
struct Chart {
  std::string title = {};
  std::string x_label, y_label;
  bool x_log = false, y_log = false;
  std::vector<double> x_ticks = {};  // where to put numbers; automatic when empty
  std::vector<Series> series = {};
};

// Draws a .png, .svg or .pdf. What is not finite, or not positive on a logarithmic axis, is left out; Error
// if that leaves nothing, if x and y differ in length, or if the name ends in something else.
void draw_chart(const Chart& chart, const std::string& out);

}  // namespace gcan::report
