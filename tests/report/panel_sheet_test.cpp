#include "gcan/report/panel_sheet.h"

#include <cmath>

#include "tests/report/grids.h"
#include "tests/report/pictures.h"

namespace gcan::report {
namespace panel_sheet_test {

TEST(PanelSheet, RoundNumbersAreNotBelow) {
  for (double value = 1.3e-7; value < 1e9; value *= 1.37) {
    const double rounded = round_above(value);
    EXPECT_GE(rounded, value);
    EXPECT_LE(rounded, 1.6 * value);
  }
  EXPECT_DOUBLE_EQ(round_above(20), 20);
  EXPECT_DOUBLE_EQ(round_above(8.1), 10);
}

TEST(PanelSheet, ArrowsComeWithOnePanelAndOnlyWhereItBlows) {
  const FieldMap map(test::box_grid(8, 4), 10);
  const ScratchFolder folder;
  PanelSheet sheet(map, {100, 50}, folder);
  const std::vector<float> values(32, 1);
  sheet.arrows(std::vector<float>(64, 1), 1);
  sheet.panel({0, 0, 50, 25}, values, {});
  sheet.arrows(std::vector<float>(64, 0), 1);
  sheet.panel({50, 0, 50, 25}, values, {});
  sheet.panel({50, 25, 50, 25}, values, {});
  EXPECT_EQ(test::count(sheet.script(), "with vectors"), 1U);
}

using PanelDrawing = test::Drawing;

TEST_F(PanelDrawing, ShowsTextsNumbersAndWhatIsNotFinite) {
  for (const auto& grid : {test::box_grid(8, 4), test::sphere_grid(8, 16)}) {
    const FieldMap map(grid, 32);
    const std::size_t points = map.rows() * map.columns();
    const ScratchFolder folder;
    PanelSheet sheet(map, {400, 300}, folder);
    sheet.name_axes("x_name", "y_name");
    PanelColours colours{ColourScale::cool_warm, -2, 2, {-2, 0, 2}, "a_label"};
    sheet.text(50, 10, "a_text", "center");
    sheet.panel({60, 20, 100, 100}, std::vector<float>(points, 1), colours, true);
    sheet.panel({200, 20, 100, 100}, std::vector<float>(points, std::nanf("")), colours);
    sheet.bar({320, 20, 10, 100}, colours);
    sheet.bar({60, 200, 100, 10}, {ColourScale::viridis, 0, 10, {}, "lying"});
    const std::string out = scratch / "a.svg";
    run_gnuplot(picture_terminal(out, out, {400, 300}) + sheet.script(), folder);
    const std::string svg = test::file_text(out);
    for (const char* text : {"a_text", "not finite", "a_label", "lying", "-2"})
      EXPECT_TRUE(test::contains(svg, text)) << text;
    EXPECT_EQ(test::contains(svg, "x_name"), !map.sphere());
    EXPECT_EQ(test::count(svg, "<image"), 4U);
  }
}

}  // namespace panel_sheet_test
}  // namespace gcan::report
