#include "gcan/report/fluid_charts.h"

#include "tests/report/pictures.h"

namespace gcan::report {
namespace fluid_charts_test {

using FluidDrawing = test::Drawing;

TEST_F(FluidDrawing, ErrorsOverTimeNameEveryCurve) {
  const std::vector<FluidCurve> curves{{"GCA_net", {0.1, 0.2, 0.4}},
                                       {"persistence", {0.5, 0.7}, CurveKind::trivial}};
  draw_chart(rollout_error_chart(curves, lead_times({1, 2, 3})), scratch / "a.svg");
  const std::string seconds = test::file_text(scratch / "a.svg");
  for (const char* text : {"GCA_net", "persistence", "lead time [s]"})
    EXPECT_TRUE(test::contains(seconds, text)) << text;
  draw_chart(rollout_error_chart(curves, lead_times({86400, 172800, 259200})), scratch / "a.svg");
  EXPECT_TRUE(test::contains(test::file_text(scratch / "a.svg"), "lead time [days]"));
}

TEST_F(FluidDrawing, DriftsOfEitherSignAreDrawn) {
  draw_chart(mass_drift_chart({{"net", {-0.1, 0.01}}}, lead_steps(2)), scratch / "a.svg");
  EXPECT_TRUE(test::contains(test::file_text(scratch / "a.svg"), "drift of the mean"));
  draw_chart(enstrophy_chart({{"net", {-0.5, 3}}, {"truth", {-0.1, -0.2}, CurveKind::truth}}, lead_steps(2)),
             scratch / "b.svg");
  EXPECT_TRUE(test::contains(test::file_text(scratch / "b.svg"), "enstrophy over its start"));
}

TEST_F(FluidDrawing, AConstantTruthIsOmitted) {
  const FluidCurve net{"net", {0.1, 0.2}};
  const auto names_truth = [&](double drift) {
    draw_chart(mass_drift_chart({net, {"truth", {drift, drift}, CurveKind::truth}}, lead_steps(2)),
               scratch / "a.svg");
    return test::contains(test::file_text(scratch / "a.svg"), "truth");
  };
  EXPECT_TRUE(names_truth(1e-3));
  EXPECT_FALSE(names_truth(1e-9));
}

TEST(FluidCharts, LongLeadTimesAreInDays) {
  EXPECT_EQ(lead_times({43200, 172800}).values, (std::vector<double>{0.5, 2}));
  EXPECT_EQ(lead_times({43200, 86400}).values, (std::vector<double>{43200, 86400}));
  EXPECT_EQ(lead_steps(2).values, (std::vector<double>{1, 2}));
}

TEST_F(FluidDrawing, SpectraOmitTheMeanFlow) {
  draw_chart(spectrum_chart({{"truth", {1, 0.1, 0.01}, CurveKind::truth}, {"net", {1, 0.2, 0.001}}},
                            {0, 1, 2}, "kinetic energy"),
             scratch / "a.png");
  test::expect_png(scratch / "a.png", 1500, 1000);
}

TEST(FluidCharts, RejectsUndrawableData) {
  const test::Scratch scratch;
  test::expect_error_with(
      [&] {
        draw_chart(spectrum_chart({{"net", {1, 2, 3}}}, {0, 1}, "energy"), scratch / "a.png");
      },
      {"'net' has 3 values", "2 places"});
  test::expect_error_with(
      [&] {
        draw_chart(mass_drift_chart({{"net", {0, 0}}}, lead_steps(2)), scratch / "a.png");
      },
      {"nothing to draw"});
  EXPECT_TRUE(std::filesystem::is_empty(scratch / ""));
}

}  // namespace fluid_charts_test
}  // namespace gcan::report
