#include "gcan/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "gcan/base/error.h"
#include "gcan/report/gnuplot.h"

namespace gcan::report {
namespace {

namespace fs = std::filesystem;

// Okabe and Ito's colours without yellow, which is hard to see on white.
constexpr std::array<const char*, 8> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                              "#E69F00", "#56B4E9", "#4D4D4D", "#882255"};
constexpr std::array<int, 8> kFilled{7, 5, 9, 11, 13, 15, 3, 2};  // gnuplot's point types
constexpr std::array<int, 8> kHollow{6, 4, 8, 10, 12, 14, 1, 1};

constexpr double kLogRoom = 1.35;  // above and below the values on a logarithmic axis

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool empty() const { return low > high; }
  void add(double value) { low = std::min(low, value), high = std::max(high, value); }
};

bool drawable(double value, bool log) { return std::isfinite(value) && (!log || value > 0); }

void check(const Chart& chart) {
  if (chart.series.empty()) throw Error("chart: there is nothing to draw; add at least one series");
  for (const Series& series : chart.series)
    if (series.x.size() != series.y.size())
      throw Error(fmt::format("chart: series '{}' has {} x values but {} y values", series.name,
                              series.x.size(), series.y.size()));
}

// Of the points that can be drawn, by axis.
std::array<Range, 2> ranges(const Chart& chart) {
  std::array<Range, 2> result;
  for (const Series& series : chart.series)
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!drawable(series.x[i], chart.x_log) || !drawable(series.y[i], chart.y_log)) continue;
      result[0].add(series.x[i]);
      result[1].add(series.y[i]);
    }
  if (result[0].empty())
    throw Error("chart: there is nothing to draw: no value is finite and, on logarithmic axes, positive");
  return result;
}

// Ticks of a logarithmic axis: powers of ten over a wide range, else 1, 2, 5 in plain notation.
std::string log_axis(char axis, const Range& range) {
  std::string text = fmt::format("set logscale {} 10\n", axis);
  if (range.high / range.low > 1e3 || range.low < 1e-4 || range.high > 1e5)
    return text + fmt::format("set format {0} '10^{{%T}}'\nset {0}tics 10\nset m{0}tics 10\n", axis);
  std::string places;
  const int low = static_cast<int>(std::floor(std::log10(range.low))) - 1;
  const int high = static_cast<int>(std::ceil(std::log10(range.high)));
  for (int power = low; power <= high; ++power)
    for (const int digit : {1, 2, 5})
      places += fmt::format("{}{:g}", places.empty() ? "" : ", ", digit * std::pow(10.0, power));
  return text + fmt::format("set format {0} '%g'\nset {0}tics ({1})\n", axis, places);
}

std::string axes(const Chart& chart, const std::array<Range, 2>& range) {
  std::string text =
      "set border 3 lw 0.8 lc rgb '#404040'\nset tics out nomirror scale 0.6 textcolor rgb '#202020'\n"
      "set grid ytics lc rgb '#E4E4E4' lw 0.8 lt 1\nset key outside right top vertical Left reverse "
      "samplen 2.2 spacing 1.25 noenhanced\n";
  if (!chart.title.empty()) text += fmt::format("set title {} noenhanced\n", gnuplot_text(chart.title));
  text += fmt::format("set xlabel {} noenhanced\nset ylabel {} noenhanced\n", gnuplot_text(chart.x_label),
                      gnuplot_text(chart.y_label));
  if (chart.y_log)
    text += log_axis('y', range[1]) +
            fmt::format("set yrange [{}:{}]\n", range[1].low / kLogRoom, range[1].high * kLogRoom);
  else
    text += "set yrange [0:*]\n";
  if (chart.x_log) text += log_axis('x', range[0]);
  if (!chart.x_ticks.empty()) {
    std::string places;
    for (const double tick : chart.x_ticks) places += fmt::format("{}{}", places.empty() ? "" : ", ", tick);
    text += fmt::format("set format x '%g'\nset xtics ({})\nunset mxtics\n", places);
  }
  // A margin beside the first and last point, so that the border does not cut markers.
  const double room = 0.04;
  if (chart.x_log) {
    const double factor = std::pow(std::max(range[0].high / range[0].low, 2.0), room);
    text += fmt::format("set xrange [{}:{}]\n", range[0].low / factor, range[0].high * factor);
  } else {
    const double width =
        range[0].high > range[0].low ? range[0].high - range[0].low : std::max(std::abs(range[0].low), 1.0);
    // Starts at zero if the values begin near it, as training steps do.
    const bool from_zero = range[0].low >= 0 && range[0].low < 0.1 * range[0].high;
    text += fmt::format("set xrange [{}:{}]\n", from_zero ? 0 : range[0].low - room * width,
                        range[0].high + room * width);
  }
  return text;
}

// The data of a series, with an empty line for each point that cannot be drawn.
void write_points(const Chart& chart, const Series& series, const fs::path& path) {
  std::ofstream file(path);
  file.precision(12);
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (drawable(series.x[i], chart.x_log) && drawable(series.y[i], chart.y_log))
      file << series.x[i] << ' ' << series.y[i] << '\n';
    else
      file << '\n';
  }
  if (!file.flush()) throw Error(path.string() + ": cannot be written; is the disk full?");
}

bool has_points(const Chart& chart, const Series& series) {
  for (std::size_t i = 0; i < series.x.size(); ++i)
    if (drawable(series.x[i], chart.x_log) && drawable(series.y[i], chart.y_log)) return true;
  return false;
}

std::string style(const Series& series) {
  const std::size_t c = series.colour % kColours.size();
  std::string colour = kColours[c];
  if (series.reference) {
    constexpr std::array<const char*, 3> kDashes{"'.'", "'-.'", "'_. '"};
    return fmt::format("with lines lc rgb '#707070' lw 1.3 dt {}", kDashes[series.colour % kDashes.size()]);
  }
  if (series.faint) colour.insert(1, "90");  // transparency
  // After eight colours, dashes distinguish the series.
  const bool dashed = series.dashed || series.colour >= kColours.size();
  std::string text = fmt::format("with {} lc rgb '{}' lw {} dt {}",
                                 series.marker == Marker::none ? "lines" : "linespoints", colour,
                                 series.faint    ? 0.9
                                 : series.dashed ? 1.2
                                                 : 1.8,
                                 dashed ? 2 : 1);
  if (series.marker != Marker::none)
    text += fmt::format(" pt {} ps {}", series.marker == Marker::filled ? kFilled[c] : kHollow[c],
                        series.marker == Marker::filled ? 1.5 : 1.7);
  return text;
}

}  // namespace

void draw_chart(const Chart& chart, const std::string& out) {
  check(chart);
  const auto range = ranges(chart);
  draw_beside(out, [&](const std::string& beside) {
    const ScratchFolder folder;
    std::string plots;
    const auto add = [&](const std::string& what, const Series& series, const std::string& name) {
      plots += fmt::format("{}{} {} {}", plots.empty() ? "plot " : ", ", what, style(series),
                           name.empty() ? "notitle" : "title " + gnuplot_text(name));
    };
    for (const bool faint : {true, false})  // faint ones first, behind the others
      for (std::size_t i = 0; i < chart.series.size(); ++i) {
        const Series& series = chart.series[i];
        if (!has_points(chart, series)) continue;
        const fs::path path = folder.path() / fmt::format("series{}", i);
        if (series.faint != faint) {
          // The legend keeps the order of the series.
          if (series.faint && !series.name.empty()) add("keyentry", series, series.name);
          continue;
        }
        write_points(chart, series, path);
        add(gnuplot_text(path.string()) + " using 1:2", series, series.faint ? "" : series.name);
      }
    run_gnuplot(picture_terminal(out, beside, {750, 500}) + axes(chart, range) + plots + "\nunset output\n",
                folder);
  });
}

}  // namespace gcan::report
