#include "gcan/report/field_map.h"

#include <cmath>
#include <numbers>

#include "tests/report/grids.h"
#include "tests/report/pictures.h"

namespace gcan::report {
namespace field_map_test {

TEST(FieldMap, ABoxKeepsItsShapeAndTurnsItsAxes) {
  const auto grid = test::box_grid(3, 2);
  const FieldMap map(grid, 100);
  EXPECT_FALSE(map.sphere());
  EXPECT_DOUBLE_EQ(map.width(), 3);
  EXPECT_DOUBLE_EQ(map.aspect(), 2.0 / 3);
  // The file has lines of constant x, a picture lines of constant y.
  EXPECT_EQ(map.pixels({1, 2, 3, 4, 5, 6}), (std::vector<float>{1, 3, 5, 2, 4, 6}));
  EXPECT_DOUBLE_EQ(map.place(2, 1).x, grid.space[0].values[2]);
  EXPECT_DOUBLE_EQ(map.place(2, 1).y, grid.space[1].values[1]);
  EXPECT_EQ(map.direction(0, 0, 3, -4).y, -4);
  EXPECT_TRUE(map.lines("x", true).empty());
}

TEST(FieldMap, TheSphereInterpolatesBetweenItsPoints) {
  const auto grid = test::sphere_grid(24, 48);
  const FieldMap map(grid, 200);
  EXPECT_TRUE(map.sphere());
  EXPECT_NEAR(map.aspect(), 0.487, 0.001);
  std::vector<float> latitudes;
  for (const double latitude : grid.space[0].values)
    latitudes.insert(latitudes.end(), 48, static_cast<float>(latitude));
  const std::vector<float> pixels = map.pixels(latitudes);
  ASSERT_EQ(pixels.size(), 200U * 97U);
  EXPECT_TRUE(std::isnan(pixels.front()));  // a corner
  for (std::size_t j = 0; j < 97; ++j) {
    const double y = map.height() * ((static_cast<double>(j) + 0.5) / 97 - 0.5);
    const double latitude = from_equal_earth({0, y}).latitude * 180 / std::numbers::pi;
    if (std::abs(latitude) < 85) {
      EXPECT_NEAR(pixels[j * 200 + 100], latitude, 1e-3);
    }
  }
}

TEST(FieldMap, DirectionsOnTheMapKeepTheirLength) {
  const FieldMap map(test::sphere_grid(24, 48), 64);
  for (std::size_t row = 0; row < 24; ++row) {
    const MapPoint way = map.direction(row, 5 * (row % 9), 3, -4);
    EXPECT_NEAR(std::hypot(way.x, way.y), 5, 1e-9);
    EXPECT_LT(way.y, 0);
    // Parallels are straight.
    EXPECT_NEAR(map.direction(row, 7, 1, 0).y, 0, 1e-9);
  }
  EXPECT_GT(map.place(0, 47).x, map.place(0, 0).x);
  EXPECT_GT(map.place(0, 0).y, map.place(23, 0).y);
}

TEST(FieldMap, AnglesNotInDegreesAreABox) {
  auto grid = test::sphere_grid(4, 8);
  grid.space[0].unit = "rad";
  EXPECT_FALSE(FieldMap(grid, 10).sphere());
  grid.space[1].values.clear();
  test::expect_error_with([&] { FieldMap(grid, 10); }, {"longitude", "no points"});
}

TEST(FieldMap, ZeroIsInTheMiddleOfBothSigns) {
  const ColourRange both = range_of({{-1, 2}, {0, std::nanf("")}});
  EXPECT_TRUE(both.diverging);
  EXPECT_EQ(both.low, -2);
  const ColourRange one = range_of({{-0.01F, 2}});
  EXPECT_FALSE(one.diverging);
  EXPECT_EQ(one.high, 2);
  EXPECT_LT(range_of({{3}}).low, range_of({{3}}).high);
  test::expect_error_with([] { range_of({{std::nanf("")}}); }, {"no finite number"});
}

TEST(FieldMap, TheScalesDoNotMixInTheJointPalette) {
  for (const double value : {-1.0, 0.0, 0.4, 1.0, 7.0}) {
    EXPECT_LT(joint_colour(ColourScale::viridis, value), 0.5);
    EXPECT_GT(joint_colour(ColourScale::cool_warm, value), 0.5);
    EXPECT_GT(joint_colour(ColourScale::warm, value), 0.75);
    EXPECT_LT(joint_colour(ColourScale::warm, value), 1);
  }
  EXPECT_DOUBLE_EQ(joint_colour(ColourScale::cool_warm, 0.5), 0.75);
}

TEST(FieldMap, TimesAndUnitsAsWords) {
  EXPECT_EQ(time_text(test::sphere_grid(4, 8), 216000), "day 2.50");
  EXPECT_EQ(time_text(test::box_grid(2, 2), 1.5), "t = 1.5 s");
  EXPECT_EQ(unit_text("m/s"), " [m/s]");
  EXPECT_EQ(unit_text("1"), "");
}

}  // namespace field_map_test
}  // namespace gcan::report
