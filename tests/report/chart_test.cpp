#include "gcan/report/chart.h"

#include <cmath>

#include "tests/report/pictures.h"

namespace gcan::report {
namespace chart_test {

using ChartDrawing = test::Drawing;
using test::contains;

Chart example() {
  Chart chart{.title = "It's a_title", .x_label = "x_1", .y_label = "y", .y_log = true};
  chart.series.push_back({.name = "first_one", .x = {1, 2, 3}, .y = {1, 10, 100}});
  chart.series.push_back({.name = "behind", .x = {1, 2, 3}, .y = {2, 20, 20}, .colour = 1, .faint = true});
  chart.series.push_back(
      {.name = "hollow", .x = {1, 3}, .y = {5, 6}, .colour = 2, .marker = Marker::hollow, .dashed = true});
  chart.series.push_back({.name = "limit", .x = {1, 3}, .y = {3, 3}, .reference = true});
  return chart;
}

TEST_F(ChartDrawing, ComesInThreeFormats) {
  draw_chart(example(), scratch / "a.png");
  test::expect_png(scratch / "a.png", 1500, 1000);
  draw_chart(example(), scratch / "a.pdf");
  EXPECT_TRUE(test::file_text(scratch / "a.pdf").starts_with("%PDF"));
  draw_chart(example(), scratch / "a.svg");
  EXPECT_TRUE(contains(test::file_text(scratch / "a.svg"), "</svg>"));
  for (const char* kind : {"png", "pdf", "svg"})
    EXPECT_FALSE(std::filesystem::exists(scratch / (std::string("a.") + kind + ".partial")));
}

TEST_F(ChartDrawing, ShowsNamesVerbatim) {
  draw_chart(example(), scratch / "a.svg");
  const std::string svg = test::file_text(scratch / "a.svg");
  for (const char* name : {"first_one", "behind", "hollow", "limit", "x_1", "It's a_title"})
    EXPECT_TRUE(contains(svg, name)) << name;
  // The legend has the order of the series, although faint ones are drawn first.
  EXPECT_LT(svg.find("first_one"), svg.find(">behind"));
}

TEST_F(ChartDrawing, SkipsUndrawableValues) {
  Chart chart = example();
  chart.series.resize(1);
  chart.series[0].x = {1, 2, 3, 4, 5, 6};
  chart.series[0].y = {1, NAN, 3, 0, INFINITY, -1};
  EXPECT_NO_THROW(draw_chart(chart, scratch / "a.png"));
  // A series without values is omitted; the others are kept.
  chart.series.push_back({.name = "nothing", .x = {1}, .y = {NAN}});
  draw_chart(chart, scratch / "a.svg");
  EXPECT_FALSE(contains(test::file_text(scratch / "a.svg"), "nothing"));
}

TEST_F(ChartDrawing, DrawsASinglePointAndManySeries) {
  Chart chart{.x_label = "x", .y_label = "y", .x_log = true, .y_log = true, .x_ticks = {256}};
  for (std::size_t i = 0; i < 20; ++i)
    chart.series.push_back({.name = "series", .x = {256}, .y = {0.5}, .colour = i, .marker = Marker::filled});
  EXPECT_NO_THROW(draw_chart(chart, scratch / "a.png"));
  chart.x_log = chart.y_log = false;
  EXPECT_NO_THROW(draw_chart(chart, scratch / "a.png"));
  for (Series& series : chart.series) series.x = {0}, series.y = {0};
  EXPECT_NO_THROW(draw_chart(chart, scratch / "a.png"));
}

TEST_F(ChartDrawing, LabelsPlainlyOrInPowers) {
  Chart chart{.x_label = "x", .y_label = "y", .y_log = true};
  chart.series.push_back({.name = "narrow", .x = {1, 2}, .y = {0.1, 1}});
  draw_chart(chart, scratch / "narrow.svg");
  EXPECT_TRUE(contains(test::file_text(scratch / "narrow.svg"), ">0.2<"));
  chart.series[0].y = {1e-8, 1};
  draw_chart(chart, scratch / "wide.svg");
  EXPECT_FALSE(contains(test::file_text(scratch / "wide.svg"), ">0.2<"));
}

TEST(Chart, RejectsUndrawableData) {
  const test::Scratch scratch;
  test::expect_error_with([&] { draw_chart({}, scratch / "a.png"); }, {"at least one series"});
  Chart chart = example();
  chart.series[0].y.pop_back();
  test::expect_error_with([&] { draw_chart(chart, scratch / "a.png"); },
                          {"first_one", "3 x values but 2 y values"});
  chart = {.x_label = "x", .y_label = "y", .y_log = true};
  chart.series = {{.name = "bad", .x = {1, 2}, .y = {-1, NAN}}};
  test::expect_error_with([&] { draw_chart(chart, scratch / "a.png"); }, {"nothing to draw"});
  test::expect_error_with([&] { draw_chart(example(), scratch / "a.bmp"); }, {"a.bmp", ".png, .svg or .pdf"});
  EXPECT_TRUE(std::filesystem::is_empty(scratch / ""));
}

}  // namespace chart_test
}  // namespace gcan::report
