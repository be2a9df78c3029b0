#include "gcan/report/data_scaling.h"

#include <cmath>

#include "tests/report/pictures.h"

namespace gcan::report {
namespace data_scaling_test {

using DataScaling = test::Drawing;

TEST_F(DataScaling, ShowsOursThePapersAndTheTrivial) {
  const std::vector<ScalingCurve> curves{{"MLP", {256, 1024, 4096}, {3.4, 1.5, NAN}, {4.51, 1.218, 0.218}},
                                         {"ours alone", {256, 1024}, {1, 0.1}, {}},
                                         {"theirs alone", {256, 16384}, {}, {0.9, 0.01}}};
  draw_chart(scaling_chart(curves, {{"constant velocity", 0.13}}), scratch / "a.svg");
  const std::string svg = test::file_text(scratch / "a.svg");
  for (const char* text :
       {"MLP, paper", "ours alone", "theirs alone, paper", "constant velocity", ">256<", ">4096<", ">16384<"})
    EXPECT_TRUE(test::contains(svg, text)) << text;
  EXPECT_FALSE(test::contains(svg, "ours alone, paper"));
  draw_chart(scaling_chart(curves, {}), scratch / "a.png");
  test::expect_png(scratch / "a.png", 1500, 1000);
}

TEST_F(DataScaling, RejectsUndrawableData) {
  test::expect_error_with(
      [&] {
        draw_chart(scaling_chart({}, {{"constant velocity", 0.1}}), scratch / "a.png");
      },
      {"nothing to draw"});
  test::expect_error_with(
      [&] {
        draw_chart(scaling_chart({{"MLP", {256, 1024}, {1}, {}}}, {}), scratch / "a.png");
      },
      {"MLP", "2 x values but 1 y values"});
}

}  // namespace data_scaling_test
}  // namespace gcan::report
