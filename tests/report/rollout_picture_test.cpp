#include "gcan/report/rollout_picture.h"

#include <cmath>

#include "tests/report/grids.h"
#include "tests/report/pictures.h"

namespace gcan::report {
namespace rollout_picture_test {

using RolloutDrawing = test::Drawing;

// A scalar and a vector that change with time; each network has a larger error.
FieldRollout example(const data::Description& grid, std::size_t steps, std::size_t networks) {
  FieldRollout rollout{grid, {0, 600}, {}, {}, {}};
  for (std::size_t i = 0; i < steps; ++i) rollout.times.push_back(600.0 * static_cast<double>(i + 2));
  for (std::size_t i = 0; i < networks; ++i) rollout.networks.push_back("net_" + std::to_string(i));
  for (const std::size_t numbers : {1U, 2U}) {
    RolloutField field{numbers == 1 ? "eta" : "wind", numbers == 1 ? "m" : "m/s", numbers, {}, {}, {}};
    const auto frame = [&](std::size_t time, double shift) {
      FieldFrame values(numbers * grid.frame_points());
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(std::sin(0.1 * static_cast<double>(i + 3 * time) + shift));
      return values;
    };
    for (std::size_t i = 0; i < 2; ++i) field.input.push_back(frame(i, 0));
    for (std::size_t i = 0; i < steps; ++i) field.target.push_back(frame(i + 2, 0));
    for (std::size_t n = 0; n < networks; ++n) {
      field.predictions.emplace_back();
      for (std::size_t i = 0; i < steps; ++i)
        field.predictions.back().push_back(frame(i + 2, 0.2 * static_cast<double>(n + 1)));
    }
    rollout.fields.push_back(field);
  }
  return rollout;
}

TEST_F(RolloutDrawing, TheStillHasAllRowsTimesAndUnits) {
  const FieldRollout rollout = example(test::box_grid(12, 8), 7, 2);
  draw_rollout(rollout, scratch / "a.svg", 3);
  const std::string svg = test::file_text(scratch / "a.svg");
  for (const char* text :
       {"input", "target", "net_0", "net_1", "difference", "eta [m]", "|wind| [m/s]", "t = 600 s", "x [m]"})
    EXPECT_TRUE(test::contains(svg, text)) << text;
  // Steps 2, 4 and 7 of 7.
  for (const char* text : {"t = 1800 s", "t = 3000 s", "t = 4800 s"})
    EXPECT_EQ(test::count(svg, text), 2U) << text;
  EXPECT_FALSE(test::contains(svg, "t = 2400 s"));
  // Two inputs, then five rows of three, and bars for values and for the difference of either network.
  EXPECT_EQ(test::count(svg, "<image"), 2U * (2 + 5 * 3 + 3));
  EXPECT_FALSE(std::filesystem::exists(scratch / "a.svg.partial"));
}

TEST_F(RolloutDrawing, OfTheSphereAsPngAndPdf) {
  const FieldRollout rollout = example(test::sphere_grid(12, 24), 1, 1);
  draw_rollout(rollout, scratch / "a.png");
  EXPECT_TRUE(test::file_text(scratch / "a.png").ends_with("IEND\xae\x42\x60\x82"));
  draw_rollout(rollout, scratch / "a.pdf");
  EXPECT_TRUE(test::file_text(scratch / "a.pdf").starts_with("%PDF"));
}

TEST_F(RolloutDrawing, TheAnimationHasAllItsPictures) {
  const FieldRollout rollout = example(test::box_grid(6, 6), 3, 2);
  animate_rollout(rollout, scratch / "a.gif");
  EXPECT_EQ(test::gif_pictures(scratch / "a.gif"), static_cast<int>(animation_frames(rollout)));
  EXPECT_EQ(animation_frames(example(test::box_grid(2, 2), 1000, 1)),
            animation_frames(example(test::box_grid(2, 2), 80, 1)));
}

TEST_F(RolloutDrawing, ADivergedNetworkIsDrawn) {
  FieldRollout rollout = example(test::box_grid(6, 6), 2, 1);
  for (RolloutField& field : rollout.fields)
    for (float& x : field.predictions[0][1]) x = std::nanf("");
  rollout.fields[0].predictions[0][0][3] = 1e30F;
  draw_rollout(rollout, scratch / "a.svg");
  EXPECT_TRUE(test::contains(test::file_text(scratch / "a.svg"), "not finite"));
  animate_rollout(rollout, scratch / "a.gif");
  EXPECT_GT(test::gif_pictures(scratch / "a.gif"), 0);
}

TEST(RolloutPicture, RejectsUndrawableData) {
  const test::Scratch scratch;
  const auto both = [&](const FieldRollout& rollout, std::initializer_list<std::string> parts) {
    test::expect_error_with([&] { draw_rollout(rollout, scratch / "a.png"); }, parts);
    test::expect_error_with([&] { animate_rollout(rollout, scratch / "a.gif"); }, parts);
  };
  const FieldRollout good = example(test::box_grid(4, 4), 2, 1);
  FieldRollout bad = good;
  bad.networks.clear();
  both(bad, {"0 networks"});
  bad = good;
  bad.fields[1].target.pop_back();
  both(bad, {"1 frames", "target of 'wind'", "2 times"});
  bad = good;
  bad.fields[1].predictions[0][1].pop_back();
  both(bad, {"prediction of 'wind'", "31 numbers", "32"});
  bad = good;
  bad.fields[0].target[1][2] = std::nanf("");
  both(bad, {"target of 'eta'", "non-finite"});
  bad = good;
  bad.fields[0].numbers = 3;
  both(bad, {"'eta' has 3 components"});
  bad = good;
  bad.networks.push_back("another");
  both(bad, {"predictions of 1 networks", "2 are named"});
  test::expect_error_with([&] { draw_rollout(good, scratch / "a.gif"); }, {"a.gif", ".png"});
  test::expect_error_with([&] { draw_rollout(good, scratch / "a.png", 0); }, {"number of columns"});
  test::expect_error_with([&] { animate_rollout(good, scratch / "a.png"); }, {"a.png", ".gif"});
  EXPECT_TRUE(std::filesystem::is_empty(scratch / ""));
}

}  // namespace rollout_picture_test
}  // namespace gcan::report
